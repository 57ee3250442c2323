//! One record, from and to bytes.

use crate::crc::crc32;

pub const HEAD: usize = 8;
pub const LONGEST: usize = 1024;

#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub number: u16,
    pub text: Vec<u8>,
}

/// What is at some place of the ring.
#[derive(Debug, PartialEq)]
pub enum Found {
    Record(Record),
    /// Nothing more up to the end of the ring.
    Rest,
    /// Never written, torn or rotten.
    Nothing,
}

/// Bytes that a text of some length takes up in the ring.
pub fn size_of(text: usize) -> usize {
    HEAD + (text + 3) / 4 * 4
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

impl Record {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(size_of(self.text.len()));
        bytes.extend_from_slice(&self.number.to_le_bytes());
        bytes.extend_from_slice(&(self.text.len() as u16).to_le_bytes());
        let crc = crc32(&[&bytes[..4], &self.text]);
        bytes.extend_from_slice(&crc.to_le_bytes());
        bytes.extend_from_slice(&self.text);
        bytes.resize(size_of(self.text.len()), 0);
        bytes
    }
}

/// Looks at the beginning of `bytes`, which go up to the end of the ring.
pub fn find(bytes: &[u8]) -> Found {
    if bytes.len() < HEAD {
        return Found::Rest;
    }
    // erased flash is all FF, that is where the rest begins
    if u16_at(bytes, 0) == 0xFFFF {
        return Found::Rest;
    }
    let number = u16_at(bytes, 0);
    let length = usize::from(u16_at(bytes, 2));
    if length > LONGEST || HEAD + length > bytes.len() {
        return Found::Nothing;
    }
    let text = &bytes[HEAD..HEAD + length];
    let crc = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
    if crc != crc32(&[&bytes[..4], text]) {
        return Found::Nothing;
    }
    Found::Record(Record { number, text: text.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for text in ["", "a", "four", "engine on"] {
            let record = Record { number: 513, text: text.as_bytes().to_vec() };
            let bytes = record.to_bytes();
            assert_eq!(bytes.len(), size_of(text.len()));
            assert_eq!(bytes.len() % 4, 0);
            assert_eq!(find(&bytes), Found::Record(record));
        }
    }

    #[test]
    fn no_record() {
        let mut bytes = Record { number: 7, text: b"engine on".to_vec() }.to_bytes();
        bytes[9] ^= 1;
        assert_eq!(find(&bytes), Found::Nothing);
        assert_eq!(find(&[0; 64]), Found::Nothing);
        assert_eq!(find(&[0xFF; 12]), Found::Rest);
    }
}
