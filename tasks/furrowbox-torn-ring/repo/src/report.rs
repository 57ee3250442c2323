//! What the commands print.

use crate::ring::Ring;

pub fn dump(ring: &Ring) -> String {
    let mut lines = String::new();
    for placed in ring.records() {
        let text = String::from_utf8_lossy(&placed.record.text).into_owned();
        lines.push_str(&format!("{:>5} {}\n", placed.record.number, text));
    }
    lines
}

/// `missing`: numbers between the first and the last one that are not there.
pub fn check(ring: &Ring) -> String {
    let records = ring.records();
    match (records.first(), records.last()) {
        (Some(first), Some(last)) => {
            let (first, last) = (first.record.number, last.record.number);
            let span = usize::from(last - first) + 1;
            format!("records={} first={} last={} missing={}\n", records.len(), first, last, span - records.len())
        }
        _ => "records=0\n".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let mut ring = Ring::new(64).unwrap();
        assert_eq!(check(&ring), "records=0\n");
        ring.append(b"engine on").unwrap();
        ring.append(b"engine off").unwrap();
        assert_eq!(dump(&ring), "    0 engine on\n    1 engine off\n");
        assert_eq!(check(&ring), "records=2 first=0 last=1 missing=0\n");
    }
}
