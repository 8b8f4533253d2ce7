//! What is painted over in a picture.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use image::{ColorType, DynamicImage, ImageFormat, Rgba, RgbaImage};
use waymark_evidence::{Exposure, MaskError, mask};
use waymark_snapshot::Rect;

fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let picture = RgbaImage::from_pixel(width, height, Rgba([255, 255, 255, 255]));
    picture.write_to(&mut std::io::Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
    bytes
}

fn rect(x: i32, y: i32, w: i32, h: i32) -> Rect {
    Rect { x, y, w, h }
}

/// The first and last black column and row, and whether all between is black and all else white.
fn black(bytes: &[u8]) -> (u32, u32, u32, u32) {
    let picture = image::load_from_memory(bytes).unwrap().into_rgba8();
    let dark: Vec<(u32, u32)> =
        picture.enumerate_pixels().filter(|(_, _, p)| **p == Rgba([0, 0, 0, 255])).map(|(x, y, _)| (x, y)).collect();
    let x = (dark.iter().map(|p| p.0).min().unwrap(), dark.iter().map(|p| p.0).max().unwrap());
    let y = (dark.iter().map(|p| p.1).min().unwrap(), dark.iter().map(|p| p.1).max().unwrap());
    assert_eq!(dark.len() as u32, (x.1 - x.0 + 1) * (y.1 - y.0 + 1), "one filled box");
    (x.0, y.0, x.1, y.1)
}

#[test]
fn a_box_is_painted_with_its_margin() {
    let masked = mask(&png(100, 50), &[rect(10, 20, 30, 10)], 1000).unwrap();
    assert_eq!(masked.masked(), 1);
    assert_eq!(black(masked.png()), (8, 18, 41, 31));
}

#[test]
fn a_picture_stays_what_it_is_with_transparency_and_without() {
    let with = image::load_from_memory(&png(100, 50)).unwrap();
    for (picture, kind) in [(with.clone().into_rgb8().into(), ColorType::Rgb8), (with, ColorType::Rgba8)] {
        let picture: DynamicImage = picture;
        let mut bytes = Vec::new();
        picture.write_to(&mut std::io::Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
        let masked = mask(&bytes, &[rect(10, 20, 30, 10)], 1000).unwrap();
        assert_eq!(black(masked.png()), (8, 18, 41, 31));
        assert_eq!(image::load_from_memory(masked.png()).unwrap().color(), kind);
    }
}

#[test]
fn a_box_grows_with_the_scale_and_is_rounded_outwards() {
    let masked = mask(&png(100, 80), &[rect(11, 21, 9, 9)], 1500).unwrap();
    assert_eq!(black(masked.png()), (13, 28, 32, 47));
}

#[test]
fn a_box_half_outside_is_cut_and_one_outside_is_not_counted() {
    let masked = mask(&png(100, 50), &[rect(-10, -10, 15, 15), rect(500, 500, 9, 9)], 1000).unwrap();
    assert_eq!(masked.masked(), 1);
    assert_eq!(black(masked.png()), (0, 0, 6, 6));
}

#[test]
fn boxes_at_the_ends_of_numbers_do_not_overflow() {
    let all = rect(i32::MIN, i32::MIN, i32::MAX, i32::MAX);
    let wide = rect(0, 0, i32::MAX, i32::MAX);
    let masked = mask(&png(10, 10), &[all, wide], u32::MAX).unwrap();
    assert_eq!(black(masked.png()), (0, 0, 9, 9));
}

#[test]
fn only_pixels_are_taken_over() {
    let mut bytes = Vec::new();
    let mut writer = png::Encoder::new(&mut bytes, 2, 1);
    writer.set_color(png::ColorType::Rgba);
    writer.add_text_chunk("Comment".to_owned(), "hunter_secret".to_owned()).unwrap();
    writer.add_ztxt_chunk("More".to_owned(), "hunter_secret".repeat(30)).unwrap();
    writer.write_header().unwrap().write_image_data(&[1, 2, 3, 255, 4, 5, 6, 255]).unwrap();
    let masked = mask(&bytes, &[], 1000).unwrap();
    let pixels = image::load_from_memory(masked.png()).unwrap().into_rgba8();
    assert_eq!(pixels.into_raw(), [1, 2, 3, 255, 4, 5, 6, 255]);
    assert!(!String::from_utf8_lossy(masked.png()).contains("Comment"));
    assert_eq!(masked.masked(), 0);
}

#[test]
fn a_picture_without_a_scale_is_withheld() {
    let exposure = Exposure { png: png(10, 10), scale_milli: 1000, boxes: vec![rect(1, 1, 2, 2)] };
    assert!(exposure.clone().masked().is_ok());
    assert!(matches!(Exposure { scale_milli: 0, ..exposure }.masked(), Err(MaskError::Scale)));
}

#[test]
fn bytes_that_are_no_picture_are_withheld() {
    let mut torn = png(100, 100);
    torn.truncate(60);
    for bytes in [Vec::new(), b"hello".to_vec(), torn] {
        assert!(mask(&bytes, &[rect(0, 0, 5, 5)], 1000).is_err(), "{} bytes", bytes.len());
    }
}
