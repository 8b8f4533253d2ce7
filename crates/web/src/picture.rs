//! Pictures, with the boxes that must be masked taken along.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;
use waymark_snapshot::Rect;
use waymark_surface::{DriverError, Picture, PictureRequest};

use crate::act::{timed, told};
use crate::assemble::{read_handle, whole};
use crate::cdp::{Evaluated, Screenshot};
use crate::core::Core;
use crate::router::CallError;
use crate::walk::FrameElement;

#[derive(Debug, Deserialize)]
struct Boxes {
    /// Of the nodes that were asked for.
    b: Vec<Option<(f64, f64, f64, f64)>>,
    /// Of protected fields.
    p: Vec<(f64, f64, f64, f64)>,
    /// Of frames.
    f: Vec<FrameElement>,
}

struct Part {
    frame: String,
    parent: Option<String>,
    holder: Option<u32>,
    asked: Vec<(usize, u32)>,
}

impl Core {
    pub(crate) async fn take_picture(
        &self,
        request: &PictureRequest,
        deadline: Duration,
    ) -> Result<Picture, DriverError> {
        let end = Instant::now() + deadline;
        let session = {
            let state = self.state();
            if let Some(why) = state.gone.clone() {
                return Err(DriverError::Gone { why });
            }
            if state.dialog.is_some() {
                return Err(DriverError::DialogOpen);
            }
            let closed = || DriverError::WindowClosed { window: request.window.clone() };
            let window = state.window(&request.window).ok_or_else(closed)?;
            if window.crashed {
                return Err(DriverError::Crashed { window: request.window.clone() });
            }
            window.session.clone()
        };
        let mut changes = self.changes();
        loop {
            changes.borrow_and_update();
            // Boxes before and after: only what did not move in between is masked in the right place.
            let before = self.boxes(request, end).await;
            let shot = self.router.send(
                Some(&session),
                "Page.captureScreenshot",
                json!({"format": "png", "optimizeForSpeed": true}),
            );
            let (shot, after) = tokio::join!(shot.within::<Screenshot>(end), self.boxes(request, end));
            match shot {
                Ok(shot) => {
                    let png = base64::engine::general_purpose::STANDARD.decode(shot.data).map_err(|error| {
                        DriverError::Protocol { what: "Page.captureScreenshot".into(), message: error.to_string() }
                    })?;
                    let (boxes, protected, complete) = before;
                    let still = (&boxes, &protected, complete) == (&after.0, &after.1, after.2);
                    return Ok(Picture {
                        png,
                        scale_milli: 1000,
                        boxes,
                        protected,
                        protected_complete: complete && still,
                    });
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

    /// Boxes of nodes and of protected fields in the window's viewport, and whether all frames told theirs.
    async fn boxes(&self, request: &PictureRequest, end: Instant) -> (Vec<Option<Rect>>, Vec<Rect>, bool) {
        let mut complete = true;
        let parts: Vec<Part> = {
            let state = self.state();
            state
                .frames
                .iter()
                .filter(|(_, f)| f.window == request.window)
                .filter_map(|(id, f)| {
                    let Some(world) = f.world.as_ref().filter(|_| !f.hung && !f.crashed) else {
                        complete = false;
                        return None;
                    };
                    let asked = request.boxes.iter().enumerate().filter_map(|(at, node)| {
                        read_handle(node).filter(|(serial, _)| *serial == world.serial).map(|(_, id)| (at, id))
                    });
                    Some(Part {
                        frame: id.clone(),
                        parent: f.parent.clone(),
                        holder: f.holder.map(|(_, id)| id),
                        asked: asked.collect(),
                    })
                })
                .collect()
        };
        let share = end.min(Instant::now() + Duration::from_secs(2));
        let answers = join_all(parts.iter().map(|part| async move {
            let ids: Vec<u32> = part.asked.iter().map(|(_, id)| *id).collect();
            let expression = format!("({{b: wm.rects({}), p: wm.fields(), f: wm.frameIds()}})", json!(ids));
            let awaited = self.ask(&part.frame, &expression, share)?;
            awaited.within::<Evaluated<Boxes>>(share).await?.value()
        }))
        .await;
        let told: BTreeMap<&str, (&Part, &Boxes)> = parts
            .iter()
            .zip(&answers)
            .filter_map(|(part, answer)| Some((part.frame.as_str(), (part, answer.as_ref().ok()?))))
            .collect();
        complete &= told.len() == parts.len();
        let mut boxes = vec![None; request.boxes.len()];
        let mut protected = Vec::new();
        for (part, seen) in told.values() {
            let Some((x, y)) = origin(&told, part) else {
                // A frame without a place is not drawn, or its place is not known.
                complete &= seen.p.is_empty();
                continue;
            };
            let rect =
                |b: &(f64, f64, f64, f64)| Rect { x: whole(b.0 + x), y: whole(b.1 + y), w: whole(b.2), h: whole(b.3) };
            for ((at, _), found) in part.asked.iter().zip(&seen.b) {
                boxes[*at] = found.as_ref().map(rect);
            }
            protected.extend(seen.p.iter().map(rect));
        }
        (boxes, protected, complete)
    }
}

fn origin(told: &BTreeMap<&str, (&Part, &Boxes)>, part: &Part) -> Option<(f64, f64)> {
    let Some(parent) = &part.parent else { return Some((0.0, 0.0)) };
    let (above, seen) = told.get(parent.as_str())?;
    let element = seen.f.iter().find(|element| Some(element.0) == part.holder)?;
    let (x, y) = origin(told, above)?;
    Some((x + element.4, y + element.5))
}
