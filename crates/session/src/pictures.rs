//! Pictures: taken, masked, and only then written.

use std::sync::Arc;
use std::time::Duration;

use waymark_artifact::StepId;
use waymark_evidence::{Exposure, MaskError, MaskedPng};
use waymark_run::PictureReport;
use waymark_snapshot::WindowKey;
use waymark_surface::{Driver, Gate, PictureRequest, Uncertain};

use crate::recorder::Recorder;

/// Takes a picture of a window and writes it masked. A picture that cannot be had in time is a gap, never a failure.
pub async fn take<D: Driver>(
    gate: &mut Gate<D>,
    recorder: &mut Recorder<'_>,
    window: WindowKey,
    step: Option<StepId>,
    caption: &str,
    within: Duration,
) -> Option<PictureReport> {
    let request = PictureRequest { window, hidden: Arc::new(recorder.concealed()) };
    let picture = match gate.picture(&request, within).await {
        Ok(picture) => picture,
        Err(error) => {
            recorder.folder.gap(format!("a picture could not be taken: {error}"));
            return None;
        }
    };
    let masked = match picture.certain {
        Ok(()) => {
            let exposure = Exposure { png: picture.png, scale_milli: picture.scale_milli, boxes: picture.boxes };
            painted(exposure).await
        }
        Err(Uncertain::Unread) => Err(MaskError::Incomplete),
        Err(Uncertain::Moved) => Err(MaskError::Moved),
    };
    recorder.picture(step, caption, masked.as_ref())
}

/// Decoding and painting takes some milliseconds of computing: not on the thread that drives.
async fn painted(exposure: Exposure) -> Result<MaskedPng, MaskError> {
    match tokio::task::spawn_blocking(move || exposure.masked()).await {
        Ok(masked) => masked,
        Err(_) => Err(MaskError::Incomplete),
    }
}

#[cfg(test)]
mod tests;
