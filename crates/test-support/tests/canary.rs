//! The search finds what is there, in every form and place, and nothing else.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::Cursor;

use waymark_test_support::canary::{forms, is_read, picture_text, traces};

const VALUE: &str = "Kanarie \"vogel\" 7&é";
const AMOUNT: &str = "5502317.25";

fn png() -> Vec<u8> {
    let mut bytes = Vec::new();
    let picture = image::RgbImage::from_pixel(60, 40, image::Rgb([255, 255, 255]));
    picture.write_to(&mut Cursor::new(&mut bytes), image::ImageFormat::Png).unwrap();
    bytes
}

#[test]
fn a_value_is_found_in_every_form_anywhere_in_a_file() {
    for value in [VALUE, AMOUNT] {
        for (form, bytes) in forms(value) {
            let folder = tempfile::tempdir().unwrap();
            std::fs::create_dir(folder.path().join("deep")).unwrap();
            let file = [b"\x00before,".as_slice(), &bytes, b",after\xff"].concat();
            std::fs::write(folder.path().join("deep/file.bin"), file).unwrap();
            let found = traces(folder.path(), &[], &["something else", value]).unwrap();
            assert!(found.iter().any(|trace| trace == &format!("deep/file.bin: {form}")), "{form}: {found:?}");
        }
    }
    assert!(forms(VALUE).len() > 15 && forms(AMOUNT).iter().any(|(_, bytes)| bytes == b"5,502,317.25"));
}

#[test]
fn a_value_is_found_in_names_in_output_and_beside_pixels() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("a-hunter2hunter2")).unwrap();
    let mut commented = png();
    // A part of a kind that holds text, in front of the end.
    let end = commented.len() - 12;
    commented.splice(end..end, [b"\x00\x00\x00\x04zTXt".as_slice(), b"abcd", b"\x00\x00\x00\x00"].concat());
    std::fs::write(folder.path().join("x.png"), commented).unwrap();
    std::fs::write(folder.path().join("y.png"), [png(), b"tail".to_vec()].concat()).unwrap();
    let found = traces(folder.path(), &[("stdout", b"hunter2\n  hunter2")], &["hunter2hunter2"]).unwrap();
    for place in [
        "stdout: with white space in it",
        "the name a-hunter2hunter2: as it is",
        "x.png: a part zTXt",
        "y.png: a part behind its end",
    ] {
        assert!(found.iter().any(|trace| trace == place), "{place}: {found:?}");
    }
}

#[test]
fn where_nothing_is_nothing_is_found() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("run.jsonl"), "{\"event\":\"run_started\"}\n").unwrap();
    std::fs::write(folder.path().join("x.png"), png()).unwrap();
    assert_eq!(traces(folder.path(), &[("stderr", b"nothing")], &[VALUE, AMOUNT]).unwrap(), Vec::<String>::new());
}

#[test]
fn a_good_part_of_a_value_gives_it_away_and_looks_are_enough() {
    assert!(is_read("to: Kanar1e v0gel", "Kanarievogel"));
    assert!(is_read("xx NARIEV xx", "Kanarievogel"));
    assert!(!is_read("Kanar, nothing else", "Kanarievogel"));
    assert!(!is_read("", "Kanarievogel") && !is_read("anything", ""));
}

#[test]
fn a_picture_without_letters_says_nothing_and_one_that_is_none_is_an_error() {
    assert_eq!(picture_text(&png()).unwrap().trim(), "");
    assert!(picture_text(b"no picture").is_err());
}
