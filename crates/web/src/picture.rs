//! Pictures, with the boxes that must be masked taken along.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;
use waymark_snapshot::{NodeId, Rect, WindowKey};
use waymark_surface::{DriverError, Picture, PictureRequest, Uncertain};

use crate::act::{timed, told};
use crate::assemble::{read_handle, whole};
use crate::cdp::{Evaluated, Screenshot};
use crate::core::Core;
use crate::router::CallError;
use crate::walk::FrameElement;

/// How often a picture is taken of a screen that does not hold still.
const ATTEMPTS: usize = 3;

/// A box as the agent tells it.
type Told = (f64, f64, f64, f64);

/// What one frame tells of what must not be seen in it.
#[derive(Debug, Deserialize)]
struct Concealed {
    /// Boxes of the nodes that were asked for.
    b: Vec<Option<Told>>,
    /// Of protected fields.
    p: Vec<Told>,
    /// Of images, films, plug-ins and closed roots.
    o: Vec<Told>,
    /// Texts out of style sheets; without a box where they are drawn elsewhere.
    t: Vec<(String, Option<Told>)>,
    /// Of frames.
    f: Vec<FrameElement>,
    /// Frames that are drawn turned or scaled.
    w: Vec<u32>,
    /// Width and height of the viewport, and what part of it is shown how large.
    v: (f64, f64, f64, f64, f64),
}

struct Part {
    frame: String,
    parent: Option<String>,
    holder: Option<u32>,
    asked: Vec<u32>,
}

/// Everything that must not be seen, as of one moment.
#[derive(Debug, PartialEq)]
struct Hiding {
    boxes: Vec<Rect>,
    /// Whether nothing is left whose place is not known.
    complete: bool,
    /// Whether everything that was asked for was still there.
    all: bool,
    /// Width and height of the window's viewport.
    view: Option<(f64, f64)>,
}

impl Core {
    pub(crate) async fn take_picture(
        &self,
        request: &PictureRequest,
        deadline: Duration,
    ) -> Result<Picture, DriverError> {
        let end = Instant::now() + deadline;
        let mut changes = self.changes();
        let mut attempts = 0;
        loop {
            changes.borrow_and_update();
            let session = self.session_of(&request.window)?;
            // What must not be seen before and after: only what did not change in between is masked in the right place.
            let before = self.hiding(request, end).await;
            let shot = self.router.send(
                Some(&session),
                "Page.captureScreenshot",
                json!({"format": "png", "optimizeForSpeed": true}),
            );
            match shot.within::<Screenshot>(end).await {
                Ok(shot) => {
                    attempts += 1;
                    let after = self.hiding(request, end).await;
                    let certain = match () {
                        () if before != after || !before.all => Err(Uncertain::Moved),
                        () if !before.complete => Err(Uncertain::Unread),
                        () => Ok(()),
                    };
                    if certain == Err(Uncertain::Moved) && attempts < ATTEMPTS && Instant::now() < end {
                        continue;
                    }
                    let png = base64::engine::general_purpose::STANDARD.decode(shot.data).map_err(|error| {
                        DriverError::Protocol { what: "Page.captureScreenshot".into(), message: error.to_string() }
                    })?;
                    let scale_milli = before.view.map_or(0, |view| scale(&png, view));
                    return Ok(Picture { png, scale_milli, boxes: before.boxes, certain });
                }
                // While a frame navigates there is nothing to take a picture of: wait for the next event.
                Err(CallError::Refused { message, .. })
                    if message.contains("Not attached to an active page") && Instant::now() < end =>
                {
                    let _ = tokio::time::timeout_at(end, changes.changed()).await;
                }
                Err(error) => return Err(timed(told(error, &request.window), deadline)),
            }
        }
    }

    fn session_of(&self, key: &WindowKey) -> Result<Arc<str>, DriverError> {
        let state = self.state();
        if let Some(why) = state.gone.clone() {
            return Err(DriverError::Gone { why });
        }
        if state.dialog.is_some() {
            return Err(DriverError::DialogOpen);
        }
        let window = state.window(key).ok_or_else(|| DriverError::WindowClosed { window: key.clone() })?;
        if window.crashed {
            return Err(DriverError::Crashed { window: key.clone() });
        }
        Ok(window.session.clone())
    }

    /// Looks for everything that must not be seen in a window.
    async fn hiding(&self, request: &PictureRequest, end: Instant) -> Hiding {
        let screen = self.screen(end).await;
        let here: BTreeSet<&NodeId> =
            screen.nodes().iter().filter(|n| screen.scope(n.scope).window == request.window).map(|n| &n.id).collect();
        let hidden = request.hidden.nodes(&screen);
        let wanted: Vec<(u32, u32)> = hidden.iter().filter(|id| here.contains(id)).filter_map(read_handle).collect();
        let mut hiding = Hiding { boxes: Vec::new(), complete: true, all: true, view: None };
        let parts = self.parts(&request.window, &wanted, &mut hiding);
        let share = end.min(Instant::now() + Duration::from_secs(2));
        let any = request.hidden.any();
        let answers = join_all(parts.iter().map(|part| async move {
            let expression = format!("wm.concealed({}, {any})", json!(part.asked));
            let awaited = self.ask(&part.frame, &expression, share)?;
            awaited.within::<Evaluated<Concealed>>(share).await?.value()
        }))
        .await;
        let told: BTreeMap<&str, (&Part, &Concealed)> = parts
            .iter()
            .zip(&answers)
            .filter_map(|(part, answer)| Some((part.frame.as_str(), (part, answer.as_ref().ok()?))))
            .collect();
        hiding.complete &= told.len() == parts.len();
        for (part, seen) in told.values() {
            let mut boxes: Vec<Told> = seen.b.iter().chain(texts(seen, request)).flatten().copied().collect();
            hiding.all &= seen.b.iter().all(Option::is_some);
            hiding.complete &= texts(seen, request).all(Option::is_some);
            boxes.extend(seen.p.iter().chain(&seen.o));
            boxes.retain(|b| b.2 > 0.0 && b.3 > 0.0);
            if part.parent.is_none() {
                hiding.view = Some((seen.v.0, seen.v.1));
                // A part of the page, drawn larger by two fingers.
                hiding.complete &= (seen.v.2, seen.v.3, seen.v.4) == (1.0, 0.0, 0.0);
            }
            match origin(&told, part) {
                Some((x, y)) => hiding.boxes.extend(boxes.iter().map(|b| outwards(*b, x, y))),
                // A frame without a place is not drawn, or its place is not known.
                None => hiding.complete &= boxes.is_empty(),
            }
        }
        hiding
    }

    /// The frames of a window, each with the numbers of the nodes that are asked of it.
    fn parts(&self, window: &WindowKey, wanted: &[(u32, u32)], hiding: &mut Hiding) -> Vec<Part> {
        let state = self.state();
        let mut placed = 0;
        let mut parts = Vec::new();
        for (id, frame) in state.frames.iter().filter(|(_, f)| f.window == *window) {
            let Some(world) = frame.world.as_ref().filter(|_| !frame.hung && !frame.crashed) else {
                hiding.complete = false;
                continue;
            };
            let asked: Vec<u32> = wanted.iter().filter(|(of, _)| *of == world.serial).map(|(_, id)| *id).collect();
            placed += asked.len();
            let holder = frame.holder.map(|(_, id)| id);
            parts.push(Part { frame: id.clone(), parent: frame.parent.clone(), holder, asked });
        }
        hiding.all &= placed == wanted.len();
        parts
    }
}

/// Boxes of texts out of style sheets that must not be seen.
fn texts<'a>(seen: &'a Concealed, request: &'a PictureRequest) -> impl Iterator<Item = &'a Option<Told>> {
    seen.t.iter().filter(|(text, _)| request.hidden.text(text)).map(|(_, drawn)| drawn)
}

fn origin(told: &BTreeMap<&str, (&Part, &Concealed)>, part: &Part) -> Option<(f64, f64)> {
    let Some(parent) = &part.parent else { return Some((0.0, 0.0)) };
    let (above, seen) = told.get(parent.as_str())?;
    let element = seen.f.iter().find(|element| Some(element.0) == part.holder)?;
    if seen.w.contains(&element.0) {
        return None;
    }
    let (x, y) = origin(told, above)?;
    Some((x + element.4, y + element.5))
}

/// A box in whole units that leaves out nothing of it.
fn outwards(told: Told, x: f64, y: f64) -> Rect {
    let (left, top) = (whole((told.0 + x).floor()), whole((told.1 + y).floor()));
    let (right, bottom) = (whole((told.0 + x + told.2).ceil()), whole((told.1 + y + told.3).ceil()));
    Rect { x: left, y: top, w: right.saturating_sub(left), h: bottom.saturating_sub(top) }
}

/// Pixels per unit in thousandths, by the size that the head of a PNG tells; 0 where width and height tell different ones.
fn scale(png: &[u8], view: (f64, f64)) -> u32 {
    let side = |at: usize| {
        let bytes = png.get(at..at + 4)?;
        Some(f64::from(u32::from_be_bytes(bytes.try_into().ok()?)))
    };
    let (Some(width), Some(height)) = (side(16), side(20)) else { return 0 };
    if view.0 < 1.0 || view.1 < 1.0 {
        return 0;
    }
    let by_width = width / view.0;
    if (view.1 * by_width - height).abs() > 2.0 * by_width.max(1.0) {
        return 0;
    }
    u32::try_from(whole(by_width * 1000.0)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(width: u32, height: u32) -> Vec<u8> {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        png.extend(width.to_be_bytes());
        png.extend(height.to_be_bytes());
        png
    }

    #[test]
    fn the_scale_of_a_picture_is_told_by_its_size() {
        assert_eq!(scale(&head(800, 600), (800.0, 600.0)), 1000);
        assert_eq!(scale(&head(1600, 1200), (800.0, 600.0)), 2000);
        assert_eq!(scale(&head(1000, 751), (800.0, 600.0)), 1250);
        assert_eq!(scale(&head(800, 900), (800.0, 600.0)), 0);
        assert_eq!(scale(&head(800, 600), (0.0, 600.0)), 0);
        assert_eq!(scale(b"no picture", (800.0, 600.0)), 0);
    }

    #[test]
    fn a_box_is_rounded_outwards() {
        assert_eq!(outwards((0.6, 1.4, 10.0, 3.0), 1.0, -2.0), Rect { x: 1, y: -1, w: 11, h: 4 });
    }
}
