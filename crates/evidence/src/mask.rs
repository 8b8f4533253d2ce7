//! Pictures without what must not be seen in them.

use std::io::Cursor;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ImageBuffer, ImageFormat, ImageReader, Pixel, PixelWithColorType, Rgb, Rgba};
use waymark_snapshot::Rect;

/// The most pixels of a picture, so that none takes all memory.
const MAX_PIXELS: u64 = 100_000_000;
/// Units around each box that are painted too: glyphs and borders reach a little over it.
const MARGIN: i128 = 2;
const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];

/// A picture as a driver took it. It must not be written as it is.
#[derive(Clone, PartialEq, Eq)]
pub struct Exposure {
    /// PNG bytes.
    pub png: Vec<u8>,
    /// Pixels per unit of a box, in thousandths.
    pub scale_milli: u32,
    /// What is to be masked.
    pub boxes: Vec<Rect>,
}

impl Exposure {
    /// Masks it. Takes some milliseconds of computing; it may run beside the engine.
    ///
    /// # Errors
    /// It must be withheld.
    pub fn masked(self) -> Result<MaskedPng, MaskError> {
        mask(&self.png, &self.boxes, self.scale_milli)
    }
}

/// A picture that may be written. Only [`mask`] makes one.
#[derive(Clone, PartialEq, Eq)]
pub struct MaskedPng {
    png: Vec<u8>,
    masked: u32,
}

impl MaskedPng {
    /// PNG bytes.
    #[must_use]
    pub fn png(&self) -> &[u8] {
        &self.png
    }

    /// Boxes that were painted over.
    #[must_use]
    pub fn masked(&self) -> u32 {
        self.masked
    }
}

/// Why a picture must be withheld.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MaskError {
    /// A part of the screen was not read, or where it lies is not known.
    #[error("a part of the screen may show what must be masked, and could not be read or placed")]
    Incomplete,
    /// The screen did not hold still.
    #[error("what must be masked moved while the picture was taken")]
    Moved,
    /// The scale is not known, so neither is any place.
    #[error("the scale of the picture is not known")]
    Scale,
    /// These are no bytes of a picture.
    #[error("the picture cannot be read: {0}")]
    Unreadable(String),
    /// It has too many pixels.
    #[error("the picture is too large")]
    TooLarge,
}

/// Paints opaque black over the boxes, grown by two units and rounded outwards to whole pixels. Boxes that lie
/// outside of the picture are not counted. The picture is written anew from its pixels: whatever else its file holds
/// (texts, times, profiles) is not in it.
///
/// # Errors
/// The picture must be withheld.
pub fn mask(png: &[u8], boxes: &[Rect], scale_milli: u32) -> Result<MaskedPng, MaskError> {
    if scale_milli == 0 {
        return Err(MaskError::Scale);
    }
    if !png.starts_with(&SIGNATURE) {
        return Err(MaskError::Unreadable("it is no PNG".to_owned()));
    }
    let (width, height) = ImageReader::with_format(Cursor::new(png), ImageFormat::Png)
        .into_dimensions()
        .map_err(|error| MaskError::Unreadable(error.to_string()))?;
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(MaskError::TooLarge);
    }
    let areas: Vec<Area> = boxes.iter().filter_map(|rect| Area::of(*rect, scale_milli, width, height)).collect();
    let picture = image::load_from_memory_with_format(png, ImageFormat::Png);
    // A picture of a screen has no transparency; a form that has it would be a third more to write.
    let out = match picture.map_err(|error| MaskError::Unreadable(error.to_string()))? {
        DynamicImage::ImageRgb8(picture) => painted(picture, Rgb([0; 3]), &areas),
        other => painted(other.into_rgba8(), Rgba([0, 0, 0, 255]), &areas),
    }?;
    Ok(MaskedPng { png: out, masked: u32::try_from(areas.len()).unwrap_or(u32::MAX) })
}

/// The picture as a file, with the areas in one colour.
fn painted<P>(mut picture: ImageBuffer<P, Vec<u8>>, colour: P, areas: &[Area]) -> Result<Vec<u8>, MaskError>
where
    P: Pixel<Subpixel = u8> + PixelWithColorType,
{
    for area in areas {
        for y in area.y.0..area.y.1 {
            for x in area.x.0..area.x.1 {
                picture.put_pixel(x, y, colour);
            }
        }
    }
    let mut out = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut out, CompressionType::Fast, FilterType::Adaptive);
    picture.write_with_encoder(encoder).map_err(|error| MaskError::Unreadable(error.to_string()))?;
    Ok(out)
}

/// Pixels from the first to before the second.
struct Area {
    x: (u32, u32),
    y: (u32, u32),
}

impl Area {
    fn of(rect: Rect, scale_milli: u32, width: u32, height: u32) -> Option<Self> {
        let scale = i128::from(scale_milli);
        let span = |from: i32, length: i32, limit: u32| {
            let first = (i128::from(from) - MARGIN) * scale;
            let last = (i128::from(from) + i128::from(length.max(0)) + MARGIN) * scale;
            let clip = |at: i128| u32::try_from(at.clamp(0, i128::from(limit))).unwrap_or(limit);
            let (first, last) = (clip(first.div_euclid(1000)), clip((last + 999).div_euclid(1000)));
            (first < last).then_some((first, last))
        };
        Some(Area { x: span(rect.x, rect.w, width)?, y: span(rect.y, rect.h, height)? })
    }
}
