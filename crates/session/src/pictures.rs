//! Pictures: taken, masked, and only then written.

use std::time::Duration;

use waymark_artifact::StepId;
use waymark_evidence::{Exposure, MaskError, MaskedPng};
use waymark_redact::Redactor;
use waymark_run::PictureReport;
use waymark_snapshot::{NodeId, Role, State, UiSnapshot, WindowKey};
use waymark_surface::{Driver, Gate, PictureRequest};

use crate::recorder::Recorder;

/// How long a picture may take; one that takes longer is missing, and the run goes on.
const WITHIN: Duration = Duration::from_secs(5);

/// Takes a picture of a window and writes it masked. A picture that cannot be had is a gap, never a failure.
pub async fn take<D: Driver>(
    gate: &mut Gate<D>,
    recorder: &mut Recorder<'_>,
    snapshot: Option<&UiSnapshot>,
    window: WindowKey,
    step: Option<StepId>,
    caption: &str,
) -> Option<PictureReport> {
    let snapshot = snapshot?;
    let boxes = sensitive(snapshot, &window, &recorder.redactor);
    let request = PictureRequest { window, boxes };
    let picture = match gate.picture(&request, WITHIN).await {
        Ok(picture) => picture,
        Err(error) => {
            recorder.folder.gap(format!("a picture could not be taken: {error}"));
            return None;
        }
    };
    let mut boxes = picture.boxes;
    boxes.extend(picture.protected.into_iter().map(Some));
    let exposure =
        Exposure { png: picture.png, scale_milli: picture.scale_milli, boxes, complete: picture.protected_complete };
    // Decoding and painting takes some milliseconds of computing: not on the thread that drives.
    let masked: Result<MaskedPng, MaskError> = match tokio::task::spawn_blocking(move || exposure.masked()).await {
        Ok(masked) => masked,
        Err(_) => Err(MaskError::Incomplete),
    };
    recorder.picture(step, caption, masked.as_ref())
}

/// The nodes of a window that show something that must not be seen: protected fields, and whatever holds or shows
/// a registered value.
fn sensitive(snapshot: &UiSnapshot, window: &WindowKey, redactor: &Redactor) -> Vec<NodeId> {
    snapshot
        .nodes()
        .iter()
        .filter(|n| snapshot.scope(n.scope).window == *window && n.role != Role::Window)
        .filter(|n| {
            let shows = n.role == Role::Text || n.role.is_control();
            n.is(State::Protected)
                || (shows && redactor.finds(&n.name))
                || n.value.as_deref().is_some_and(|v| redactor.finds(v))
                || n.detail.options.iter().any(|o| o.selected && redactor.finds(&o.text))
        })
        .map(|n| n.id.clone())
        .collect()
}
