//! The reader: lines of bytes from a stream, on a thread of its own.

use std::io::{self, BufRead, BufReader, Read};
use std::thread;

use crossbeam::channel::{Receiver, bounded};

/// Lines read ahead; further ones wait in the stream.
const READ_AHEAD: usize = 16;
/// Longest line that is kept, in bytes; the rest of a longer one is dropped.
const LONGEST: u64 = 4 << 20;

/// The lines of a stream, with their line ends, as they come in. The channel
/// closes at the end of the stream.
///
/// # Errors
/// When there is no thread to read on.
pub fn read_lines(input: impl Read + Send + 'static) -> io::Result<Receiver<Vec<u8>>> {
    let (sender, lines) = bounded(READ_AHEAD);
    // this thread may wait for input for ever: nobody waits for it
    thread::Builder::new().spawn(move || {
        let mut reader = BufReader::new(input);
        // a stream that fails has ended
        while let Ok(Some(line)) = read_line(&mut reader) {
            if sender.send(line).is_err() {
                break;
            }
        }
    })?;
    Ok(lines)
}

fn read_line(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    reader.take(LONGEST).read_until(b'\n', &mut line)?;
    if line.len() as u64 == LONGEST && !line.ends_with(b"\n") {
        reader.skip_until(b'\n')?;
    }
    Ok(Some(line).filter(|line| !line.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: Vec<u8>) -> Vec<Vec<u8>> {
        read_lines(io::Cursor::new(input)).unwrap().iter().collect()
    }

    #[test]
    fn any_bytes_make_lines() {
        assert_eq!(
            lines(b"uci\r\n\n\xc5\xda\0x\nquit".to_vec()),
            [&b"uci\r\n"[..], b"\n", b"\xc5\xda\0x\n", b"quit"]
        );
        assert!(lines(Vec::new()).is_empty());
    }

    #[test]
    fn endless_lines_are_cut() {
        let mut input = vec![b'x'; LONGEST as usize + 100_000];
        input.extend(b"\nquit\n");
        let lines = lines(input);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].len() as u64, LONGEST);
        assert_eq!(lines[1], b"quit\n");
    }
}
