//! Ways in which a text goes wrong between the one who writes it and the one who reads it.

use proptest::prelude::*;

/// Words and beginnings that readers stumble over.
const PIECES: [&str; 38] = [
    "NaN",
    "Infinity",
    "-0",
    "1e999",
    "-1e-999",
    "9007199254740993",
    "123456789012345678901234567890",
    "0x10",
    "01",
    "null",
    "true",
    "{}",
    "[]",
    "\"\"",
    "\"",
    "\\",
    "\\ud800",
    "\u{feff}",
    "\u{202e}",
    "\u{0}",
    "\u{1b}[2J",
    "\u{85}",
    "\r\n",
    "\r",
    "\t",
    "// x\n",
    "/* x",
    "# x\n",
    "---\n",
    "...\n",
    "%YAML 9.9\n",
    "&a ",
    "*a",
    "<<: *a\n",
    "!!binary ",
    "? ",
    "|9\n",
    ">-\n",
];

/// One way: which, where (in parts of a million), and with what.
pub type Damage = (u8, u32, usize);

/// One to three ways at once.
pub fn damages() -> impl Strategy<Value = Vec<Damage>> {
    prop::collection::vec((0u8..10, 0u32..1_000_000, 0usize..PIECES.len()), 1..4)
}

/// The text after all that happened to it.
pub fn damaged(bytes: &[u8], damages: &[Damage]) -> Vec<u8> {
    damages.iter().fold(bytes.to_vec(), |bytes, damage| once(bytes, *damage))
}

fn once(mut bytes: Vec<u8>, (kind, part, piece): Damage) -> Vec<u8> {
    let at = usize::try_from(u64::from(part) * bytes.len() as u64 / 1_000_000).unwrap_or_default();
    if at >= bytes.len() {
        return bytes;
    }
    let piece = PIECES[piece];
    match kind {
        // Cut off.
        0 => bytes.truncate(at),
        // One bit.
        1 => bytes[at] ^= 1 << (part % 8),
        // Something in between.
        2 => drop(bytes.splice(at..at, piece.bytes())),
        // Another word in place of one.
        3 | 4 => {
            let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
            let start = at - bytes[..at].iter().rev().take_while(|b| word(b)).count();
            let end = at + bytes[at..].iter().take_while(|b| word(b)).count();
            drop(bytes.splice(start..end, piece.bytes()));
        }
        // A line twice, or not at all.
        5 | 6 => {
            let start = bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
            let end = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| at + n + 1);
            let line = if kind == 5 { bytes[start..end].to_vec() } else { Vec::new() };
            let end = if kind == 5 { start } else { end };
            drop(bytes.splice(start..end, line));
        }
        // Ten thousand levels.
        7 => {
            let open = ["[", "{\"a\":", "- ", "{a: ", "[["][at % 5].repeat(10_000);
            drop(bytes.splice(at..at, open.bytes()));
        }
        // The line ends of another system.
        8 => bytes = String::from_utf8_lossy(&bytes).replace('\n', "\r\n").into_bytes(),
        // A very long word.
        _ => drop(bytes.splice(at..at, std::iter::repeat_n(b'x', 20_000))),
    }
    bytes
}
