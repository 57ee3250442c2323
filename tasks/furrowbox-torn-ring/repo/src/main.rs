mod crc;
mod record;
mod report;
mod ring;

use ring::Ring;
use std::{env, fs, process};

const USAGE: &str = "usage: furrowbox dump FILE | check FILE | append FILE TEXT | new FILE BYTES";

fn open(path: &str) -> Result<Ring, String> {
    let file = fs::read(path).map_err(|error| format!("{}: {}", path, error))?;
    Ring::from_file(&file).map_err(|error| format!("{}: {}", path, error))
}

fn save(path: &str, ring: &Ring) -> Result<(), String> {
    fs::write(path, ring.to_file()).map_err(|error| format!("{}: {}", path, error))
}

fn run(arguments: &[&str]) -> Result<String, String> {
    match arguments {
        ["dump", path] => Ok(report::dump(&open(path)?)),
        ["check", path] => Ok(report::check(&open(path)?)),
        ["append", path, text] => {
            let mut ring = open(path)?;
            let number = ring.append(text.as_bytes())?;
            save(path, &ring)?;
            Ok(format!("{}\n", number))
        }
        ["new", path, bytes] => {
            let size = bytes.parse().map_err(|_| USAGE.to_string())?;
            save(path, &Ring::new(size)?)?;
            Ok(String::new())
        }
        _ => Err(USAGE.to_string()),
    }
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(text) => print!("{}", text),
        Err(text) => {
            eprintln!("furrowbox: {}", text);
            process::exit(1);
        }
    }
}
