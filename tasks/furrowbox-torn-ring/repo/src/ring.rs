//! The ring of a file: finding records, and where the next one goes.

use crate::crc::crc32;
use crate::record::{find, size_of, Found, Record, LONGEST};

pub const HEADER: usize = 16;

pub struct Ring {
    bytes: Vec<u8>,
}

/// A record and its place in the ring.
#[derive(Clone, Debug)]
pub struct Placed {
    pub at: usize,
    pub record: Record,
}

impl Placed {
    fn end(&self) -> usize {
        self.at + size_of(self.record.text.len())
    }
}

impl Ring {
    pub fn new(size: usize) -> Result<Ring, String> {
        if size % 4 != 0 || !(64..=65536).contains(&size) {
            return Err(format!("a ring has 64 to 65536 bytes, in fours, and not {}", size));
        }
        Ok(Ring { bytes: vec![0; size] })
    }

    pub fn from_file(file: &[u8]) -> Result<Ring, String> {
        if file.len() < HEADER || &file[..4] != b"FBX1" {
            return Err("this is no ring".to_string());
        }
        let word = |at: usize| u32::from_le_bytes([file[at], file[at + 1], file[at + 2], file[at + 3]]);
        if word(12) != crc32(&[&file[..12]]) {
            return Err("the header is damaged".to_string());
        }
        if file.len() != HEADER + word(4) as usize {
            return Err("the file has the wrong length".to_string());
        }
        Ok(Ring { bytes: file[HEADER..].to_vec() })
    }

    pub fn to_file(&self) -> Vec<u8> {
        let mut file = b"FBX1".to_vec();
        file.extend_from_slice(&(self.bytes.len() as u32).to_le_bytes());
        file.extend_from_slice(&[0; 4]);
        let crc = crc32(&[&file]);
        file.extend_from_slice(&crc.to_le_bytes());
        file.extend_from_slice(&self.bytes);
        file
    }

    /// All records in the order in which they lie in the file.
    fn placed(&self) -> Vec<Placed> {
        let mut all = Vec::new();
        let mut at = 0;
        while let Found::Record(record) = find(&self.bytes[at..]) {
            let placed = Placed { at, record };
            at = placed.end();
            all.push(placed);
        }
        all
    }

    /// All records, oldest first.
    pub fn records(&self) -> Vec<Placed> {
        let mut all = self.placed();
        all.sort_by_key(|placed| placed.record.number);
        all
    }

    /// Writes a record behind the newest one.
    pub fn append(&mut self, text: &[u8]) -> Result<u16, String> {
        let size = size_of(text.len());
        if text.len() > LONGEST || size > self.bytes.len() {
            return Err(format!("{} bytes are too many", text.len()));
        }
        let (number, mut at) = match self.records().last() {
            Some(newest) => (newest.record.number + 1, newest.end()),
            None => (0, 0),
        };
        if at + size >= self.bytes.len() {
            self.bytes[at..at + 4].fill(0xFF);
            at = 0;
        }
        let record = Record { number, text: text.to_vec() };
        self.bytes[at..at + size].copy_from_slice(&record.to_bytes());
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(ring: &Ring) -> Vec<u16> {
        ring.records().iter().map(|placed| placed.record.number).collect()
    }

    #[test]
    fn one_behind_the_other() {
        let mut ring = Ring::new(128).unwrap();
        for (number, text) in ["engine on", "plough down", ""].iter().enumerate() {
            assert_eq!(ring.append(text.as_bytes()), Ok(number as u16));
        }
        assert_eq!(numbers(&ring), [0, 1, 2]);
        assert_eq!(ring.records()[1].record.text, b"plough down");
    }

    #[test]
    fn around_the_end() {
        let mut ring = Ring::new(64).unwrap();
        for _ in 0..4 {
            ring.append(b"twelve bytes").unwrap();
        }
        // the third one ends at 60; the fourth took the place of the first
        assert_eq!(numbers(&ring), [1, 2, 3]);
    }

    #[test]
    fn a_file_and_back() {
        let mut ring = Ring::new(64).unwrap();
        ring.append(b"engine on").unwrap();
        let again = Ring::from_file(&ring.to_file()).unwrap();
        assert_eq!(again.bytes, ring.bytes);
    }

    #[test]
    fn refused() {
        assert!(Ring::new(66).is_err());
        assert!(Ring::new(64).unwrap().append(&[b'x'; 57]).is_err());
        assert!(Ring::from_file(b"FBX1").is_err());
    }
}
