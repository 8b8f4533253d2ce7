//! A search for a value that must have left no trace: in every byte of a folder, in names of files, in what pictures show.
//!
//! It shares no code with what keeps such values out, so that the two cannot be wrong alike.

use std::collections::BTreeSet;
use std::io::{self, Cursor, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use image::imageops::FilterType;

/// Parts of a PNG that hold pixels, their colours and their size.
const PIXELS: [&[u8; 4]; 9] = [b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"pHYs"];
/// Signs in a row of a value that, read off a picture, give it away.
const TELLING: usize = 6;
/// How much a picture is enlarged for reading: letters of a page are smaller than what readers of pictures are made for.
const ENLARGED: u32 = 2;

/// Every trace of the values: in files below a folder, in their names, and in other bytes (what a program printed), each
/// given with its name. Pictures are read too. A trace is told as `where: which form`.
///
/// # Errors
/// A file or a picture cannot be read, or there is no program that reads pictures (tesseract).
pub fn traces(folder: &Path, others: &[(&str, &[u8])], values: &[&str]) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for (name, bytes) in others {
        search(name, bytes, values, &mut found);
    }
    let mut read = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(&at)? {
            let path = entry?.path();
            let inside = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
            search(&format!("the name {inside}"), inside.as_bytes(), values, &mut found);
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path)?;
            search(&inside, &bytes, values, &mut found);
            if path.extension().is_some_and(|extension| extension == "png") {
                found.extend(more_than_pixels(&bytes).into_iter().map(|part| format!("{inside}: a part {part}")));
                if read.insert(bytes.clone()) {
                    let text = picture_text(&bytes)?;
                    let seen = values.iter().filter(|value| is_read(&text, value));
                    found.extend(seen.map(|_| format!("{inside}: seen in the picture, which reads {text:?}")));
                }
            }
        }
    }
    Ok(found)
}

/// What a picture says, read off its pixels.
///
/// # Errors
/// It is no picture, or there is no program that reads pictures (tesseract).
pub fn picture_text(png: &[u8]) -> io::Result<String> {
    let picture = image::load_from_memory(png).map_err(io::Error::other)?.into_luma8();
    let Some(picture) = drawn_on(&picture) else { return Ok(String::new()) };
    let large = image::imageops::resize(
        &picture,
        picture.width() * ENLARGED,
        picture.height() * ENLARGED,
        FilterType::Triangle,
    );
    let mut bytes = Vec::new();
    large.write_to(&mut Cursor::new(&mut bytes), image::ImageFormat::Png).map_err(io::Error::other)?;
    let mut reader = Command::new("tesseract")
        .args(["stdin", "stdout", "--psm", "11"])
        .env("OMP_THREAD_LIMIT", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| io::Error::new(error.kind(), format!("tesseract, which reads pictures: {error}")))?;
    if let Some(mut stdin) = reader.stdin.take() {
        stdin.write_all(&bytes)?;
    }
    let output = reader.wait_with_output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("tesseract ended with {}", output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a text read off a picture gives a value away, in whole or in good part. Signs that readers of pictures take
/// for one another are taken for the same.
#[must_use]
pub fn is_read(text: &str, value: &str) -> bool {
    let (text, value) = (alike(text), alike(value));
    let value: Vec<char> = value.chars().collect();
    let length = TELLING.min(value.len());
    length > 0 && value.windows(length).any(|part| text.contains(&part.iter().collect::<String>()))
}

/// The forms in which a writer may have written a value, each with its name. A value should have eight signs or more.
#[must_use]
pub fn forms(value: &str) -> Vec<(&'static str, Vec<u8>)> {
    let each = |form: &dyn Fn(char) -> String| value.chars().map(form).collect::<String>();
    let percent = |bytes: &[u8]| bytes.iter().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let needed = each(&|c| if c.is_ascii_alphanumeric() { c.to_string() } else { percent(c.to_string().as_bytes()) });
    let json = format!("{:?}", value);
    let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
    let html = each(&|c| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\'' => "&#39;".to_owned(),
        c => c.to_string(),
    });
    let mut forms: Vec<(&'static str, Vec<u8>)> = vec![
        ("as it is", value.as_bytes().to_vec()),
        ("in capitals", value.to_uppercase().into_bytes()),
        ("in small letters", value.to_lowercase().into_bytes()),
        ("in an address", needed.clone().into_bytes()),
        ("in an address, in small letters", needed.to_lowercase().into_bytes()),
        ("in an address twice", needed.replace('%', "%25").into_bytes()),
        ("in a form", needed.replace("%20", "+").into_bytes()),
        ("in an address, sign by sign", percent(value.as_bytes()).into_bytes()),
        ("in a document", quoted.clone().into_bytes()),
        ("in a document in a document", quoted.replace('\\', "\\\\").replace('"', "\\\"").into_bytes()),
        ("in debug output", json.as_bytes()[1..json.len() - 1].to_vec()),
        ("in a document, sign by sign", value.encode_utf16().map(|u| format!("\\u{u:04x}")).collect::<String>().into()),
        ("in a page", html.into_bytes()),
        ("in a page, sign by sign", each(&|c| format!("&#{};", c as u32)).into_bytes()),
        ("in a page, sign by sign in hexadecimal", each(&|c| format!("&#x{:x};", c as u32)).into_bytes()),
        ("in hexadecimal", hex::encode(value).into_bytes()),
        ("in hexadecimal capitals", hex::encode_upper(value).into_bytes()),
        ("in two bytes a sign", value.encode_utf16().flat_map(u16::to_le_bytes).collect()),
    ];
    for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
        for before in 0..3 {
            let mut bytes = vec![0; before];
            bytes.extend_from_slice(value.as_bytes());
            let encoded = engine.encode(&bytes);
            let core = &encoded[(before * 8).div_ceil(6)..bytes.len() * 8 / 6];
            forms.push(("in base64", core.as_bytes().to_vec()));
        }
    }
    if value.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
        for (group, point) in [(",", "."), (".", ","), (" ", ","), ("'", "."), ("\u{a0}", ","), ("\u{202f}", ",")] {
            let tail = if fraction.is_empty() { String::new() } else { format!("{point}{fraction}") };
            forms.push(("as a number", format!("{}{tail}", grouped(whole, group)).into_bytes()));
        }
    }
    let mut seen = BTreeSet::new();
    forms.retain(|(_, bytes)| seen.insert(bytes.clone()));
    forms
}

fn search(place: &str, bytes: &[u8], values: &[&str], found: &mut Vec<String>) {
    // Byte by byte as signs: searching in texts is what the standard library is good at.
    let all: String = bytes.iter().map(|byte| char::from(*byte)).collect();
    let dense: String = all.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    for value in values {
        for (form, pattern) in forms(value) {
            let pattern: String = pattern.iter().map(|byte| char::from(*byte)).collect();
            if all.contains(&pattern) {
                found.push(format!("{place}: {form}"));
            }
        }
        let wanted: String = value.bytes().filter(|b| !b.is_ascii_whitespace()).map(char::from).collect();
        if dense.len() < all.len() && dense.contains(&wanted) {
            found.push(format!("{place}: with white space in it"));
        }
    }
}

/// Parts of a PNG that hold something else than its pixels: texts, times, profiles, what stands behind its end.
fn more_than_pixels(png: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 8;
    while let Some(head) = png.get(at..at + 8) {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if !PIXELS.iter().any(|kind| kind[..] == head[4..8]) {
            found.push(String::from_utf8_lossy(&head[4..8]).into_owned());
        }
        at += length + 12;
        if head[4..8] == *b"IEND" {
            break;
        }
    }
    if at < png.len() {
        found.push("behind its end".to_owned());
    }
    found
}

/// The part of a picture on which something is drawn; the rest costs time and says nothing.
fn drawn_on(picture: &image::GrayImage) -> Option<image::GrayImage> {
    let ground = picture.get_pixel_checked(0, 0)?.0[0];
    let rows: Vec<&[u8]> = picture.as_raw().chunks(picture.width() as usize).collect();
    let mark = |value: &u8| value.abs_diff(ground) > 8;
    let marked = |row: &&&[u8]| row.iter().any(mark);
    let at = |row: Option<usize>| row.and_then(|at| u32::try_from(at).ok());
    let top = at(rows.iter().position(|row| marked(&row)))?;
    let bottom = at(rows.iter().rposition(|row| marked(&row)))?;
    let left = at(rows.iter().filter_map(|row| row.iter().position(mark)).min())?;
    let right = at(rows.iter().filter_map(|row| row.iter().rposition(mark)).max())?;
    let (width, height) = (right - left + 1, bottom - top + 1);
    // With a margin: signs at the very edge are not read.
    let mut part = image::GrayImage::from_pixel(width + 40, height + 40, image::Luma([ground]));
    image::imageops::replace(&mut part, &*image::imageops::crop_imm(picture, left, top, width, height), 20, 20);
    Some(part)
}

/// Letters and digits alone, with one sign for those that look alike.
fn alike(text: &str) -> String {
    let plain = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase);
    plain
        .map(|c| match c {
            '0' | 'Q' | 'D' => 'O',
            '1' | 'L' | 'J' => 'I',
            '2' => 'Z',
            '5' => 'S',
            '6' => 'G',
            '8' => 'B',
            'V' => 'U',
            c => c,
        })
        .collect()
}

fn grouped(digits: &str, by: &str) -> String {
    let first = (digits.len() - 1) % 3 + 1;
    let mut groups = vec![&digits[..first]];
    groups.extend((first..digits.len()).step_by(3).map(|at| &digits[at..at + 3]));
    groups.join(by)
}
