//! Pictures, with the boxes that must be masked taken along.
//!
//! Every frame of the window is looked at when the picture is asked for and when it is there, and by its agent in every
//! frame that is drawn in between. A picture counts only where all of these looks agree on what must not be seen and where it is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use futures_util::future::join_all;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::time::Instant;
use waymark_snapshot::{Rect, WindowKey};
use waymark_surface::{DriverError, Picture, PictureRequest, Uncertain};

use crate::act::{timed, told};
use crate::assemble::{View, assemble, read_handle, whole};
use crate::cdp::{Evaluated, Screenshot};
use crate::core::Core;
use crate::router::{Awaited, CallError};
use crate::state::{Frame, World};
use crate::walk::{FrameElement, Walk};

/// How often a picture is taken of a screen that does not hold still.
const ATTEMPTS: usize = 3;
/// The most of a picture's time that one frame may take for one look.
const SHARE: Duration = Duration::from_secs(2);

/// A box as the agent tells it.
type Told = (f64, f64, f64, f64);

/// The opening look at one frame.
#[derive(Debug, Deserialize)]
struct Opened {
    /// The number of this look.
    n: u32,
    c: Concealed,
}

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
    t: Vec<Text>,
    /// Of frames.
    f: Vec<FrameElement>,
    /// Frames that are drawn turned or scaled.
    w: Vec<u32>,
    /// Width and height of the viewport, and what part of it is shown how large.
    v: (f64, f64, f64, f64, f64),
}

type Text = (String, Option<Told>);

/// The closing look at one frame.
#[derive(Debug, Deserialize)]
struct Shut {
    /// Whether something moved that must not be seen, or nobody can tell.
    m: bool,
    /// Whether frames in it moved.
    s: bool,
    /// How many times it was drawn meanwhile.
    z: u32,
    /// What the frame showed meanwhile other than what the latest walk has.
    l: Vec<Glimpse>,
}

/// One look in between.
#[derive(Debug, Deserialize)]
struct Glimpse {
    w: Walk,
    t: Vec<Text>,
}

/// One frame of the window.
struct Part {
    frame: String,
    parent: Option<String>,
    holder: Option<u32>,
    session: Arc<str>,
    /// Whether it is drawn by another process than the window.
    apart: bool,
    world: World,
    walk: Arc<Walk>,
    asked: BTreeSet<u32>,
}

/// Everything that must not be seen, as of the opening look.
struct Hiding {
    boxes: Vec<Rect>,
    /// Whether nothing is left whose place is not known.
    complete: bool,
    /// Whether everything that was asked for was still there.
    all: bool,
    /// Width and height of the window's viewport.
    view: Option<(f64, f64)>,
    /// Frames that hold a frame in which something must not be seen.
    concerned: BTreeSet<String>,
}

impl Core {
    /// Takes a picture. What looks know of the session stays as it is.
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
            let (parts, unread) = self.parts(&session, request, attempts > 0, end).await;
            let any = request.hidden.any();
            let opened: Vec<Option<Opened>> = answers(end, &parts, |part, share| {
                let asked = json!(part.asked);
                let number = part.walk.number;
                let expression = format!("wm.open({asked}, {any}, {number}, {})", part.apart);
                self.ask_in(&part.session, &part.world.unique, &expression, share)
            })
            .await;
            let hiding = hiding(request, &parts, &opened, !unread);
            let shot = self.router.send(
                Some(&session),
                "Page.captureScreenshot",
                json!({"format": "png", "optimizeForSpeed": true}),
            );
            let shot = shot.within::<Screenshot>(end).await;
            let asked = parts.iter().zip(&opened).filter_map(|(part, opened)| Some((part, opened.as_ref()?)));
            let closing: Vec<_> = asked.collect();
            let shut: Vec<Option<Shut>> = answers(end, &closing, |(part, opened), share| {
                self.ask_in(&part.session, &part.world.unique, &format!("wm.shut({})", opened.n), share)
            })
            .await;
            match shot {
                Ok(shot) => {
                    attempts += 1;
                    let still = closing.iter().zip(&shut).all(|((part, opened), shut)| {
                        shut.as_ref().is_some_and(|shut| stood(request, part, opened, shut, &hiding))
                    });
                    let certain = match () {
                        () if !still || !hiding.all => Err(Uncertain::Moved),
                        () if !hiding.complete => Err(Uncertain::Unread),
                        () => Ok(()),
                    };
                    if certain == Err(Uncertain::Moved) && attempts < ATTEMPTS && Instant::now() < end {
                        continue;
                    }
                    let png = base64::engine::general_purpose::STANDARD.decode(shot.data).map_err(|error| {
                        DriverError::Protocol { what: "Page.captureScreenshot".into(), message: error.to_string() }
                    })?;
                    let scale_milli = hiding.view.map_or(0, |view| scale(&png, view));
                    return Ok(Picture { png, scale_milli, boxes: hiding.boxes, certain });
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

    /// The frames of a window, each with the numbers of its nodes that must not be seen, and whether some are missing.
    /// The walk of the latest look will do where nothing was noticed since, unless `anew`: the opening look finds out.
    async fn parts(&self, session: &Arc<str>, request: &PictureRequest, anew: bool, end: Instant) -> (Vec<Part>, bool) {
        let frames: Vec<String> = {
            let state = self.state();
            state.frames.iter().filter(|(_, f)| f.window == request.window).map(|(id, _)| id.clone()).collect()
        };
        let share = end.min(Instant::now() + SHARE);
        let parts = join_all(frames.iter().map(|frame| self.part(session, frame, anew, share))).await;
        let unread = parts.iter().any(Option::is_none);
        let mut parts: Vec<Part> = parts.into_iter().flatten().collect();
        for part in &mut parts {
            part.asked = hidden_in(request, part.world.serial, &part.walk);
        }
        (parts, unread)
    }

    async fn part(&self, session: &Arc<str>, id: &str, anew: bool, share: Instant) -> Option<Part> {
        let usable = |frame: &&Frame| !frame.hung && !frame.crashed;
        let known = {
            let state = self.state();
            let frame = state.frames.get(id).filter(usable)?;
            frame.walked.clone().filter(|_| !anew && !frame.dirty)
        };
        if known.is_none() {
            self.world(id, share).await.ok()?;
            self.hold(id, share).await.ok()?;
        }
        let part = |frame: &Frame, walk: Arc<Walk>| {
            Some(Part {
                frame: id.to_owned(),
                parent: frame.parent.clone(),
                holder: frame.holder.map(|(_, id)| id),
                session: frame.session.clone(),
                apart: frame.session != *session,
                world: frame.world.clone()?,
                walk,
                asked: BTreeSet::new(),
            })
        };
        let mut part = part(self.state().frames.get(id).filter(usable)?, known.clone().unwrap_or_default())?;
        if known.is_none() {
            let awaited = self.ask_in(&part.session, &part.world.unique, "wm.peek()", share);
            part.walk = Arc::new(answer(awaited, share).await?);
        }
        Some(part)
    }
}

/// Asks all frames at once. The agent answers in text, `None` stands for no answer.
async fn answers<P, T: DeserializeOwned>(
    end: Instant,
    parts: &[P],
    ask: impl Fn(&P, Instant) -> Awaited,
) -> Vec<Option<T>> {
    let share = end.min(Instant::now() + SHARE);
    let asked: Vec<Awaited> = parts.iter().map(|part| ask(part, share)).collect();
    join_all(asked.into_iter().map(|awaited| answer(awaited, share))).await
}

async fn answer<T: DeserializeOwned>(awaited: Awaited, share: Instant) -> Option<T> {
    let text = awaited.within::<Evaluated<String>>(share).await.ok()?.value().ok()?;
    serde_json::from_str(&text).ok()
}

/// The nodes of a walk that must not be seen.
fn hidden_in(request: &PictureRequest, serial: u32, walk: &Walk) -> BTreeSet<u32> {
    let view = View {
        serial,
        name: String::new(),
        index: 0,
        location: String::new(),
        walk: Some(walk),
        origin: None,
        frames: BTreeMap::new(),
    };
    let screen = assemble(&[(request.window.clone(), view)]);
    let hidden = request.hidden.nodes(&screen);
    hidden.iter().filter_map(read_handle).filter(|(of, _)| *of == serial).map(|(_, id)| id).collect()
}

fn hiding(request: &PictureRequest, parts: &[Part], opened: &[Option<Opened>], complete: bool) -> Hiding {
    let mut hiding = Hiding { boxes: Vec::new(), complete, all: true, view: None, concerned: BTreeSet::new() };
    let told: BTreeMap<&str, (&Part, &Concealed)> = parts
        .iter()
        .zip(opened)
        .filter_map(|(part, opened)| Some((part.frame.as_str(), (part, &opened.as_ref()?.c))))
        .collect();
    hiding.complete &= told.len() == parts.len();
    for (part, seen) in told.values() {
        let mut boxes: Vec<Told> = seen.b.iter().chain(texts(&seen.t, request)).flatten().copied().collect();
        hiding.all &= seen.b.iter().all(Option::is_some);
        hiding.complete &= texts(&seen.t, request).all(Option::is_some);
        boxes.extend(seen.p.iter().chain(&seen.o));
        boxes.retain(|b| b.2 > 0.0 && b.3 > 0.0);
        if part.parent.is_none() {
            hiding.view = Some((seen.v.0, seen.v.1));
            // A part of the page, drawn larger by two fingers.
            hiding.complete &= (seen.v.2, seen.v.3, seen.v.4) == (1.0, 0.0, 0.0);
        }
        if boxes.is_empty() {
            continue;
        }
        let mut at = *part;
        while let Some((above, _)) = at.parent.as_ref().and_then(|id| told.get(id.as_str())) {
            hiding.concerned.insert(above.frame.clone());
            at = above;
        }
        match origin(&told, part) {
            Some((x, y)) => hiding.boxes.extend(boxes.iter().map(|b| outwards(*b, x, y))),
            // A frame without a place is not drawn, or its place is not known.
            None => hiding.complete = false,
        }
    }
    hiding
}

/// Whether all that a frame showed since the opening look has what must not be seen where it was then.
fn stood(request: &PictureRequest, part: &Part, opened: &Opened, shut: &Shut, hiding: &Hiding) -> bool {
    let framed = !shut.s || !hiding.concerned.contains(&part.frame);
    let drawn = |told: &[Text]| texts(told, request).copied().collect::<Vec<_>>();
    // A picture is one of what is drawn for it: where nothing was drawn, it shows something older.
    let looked = shut.z > 0 || part.parent.is_some();
    !shut.m
        && framed
        && looked
        && shut.l.iter().all(|glimpse| {
            hidden_in(request, part.world.serial, &glimpse.w) == part.asked && drawn(&glimpse.t) == drawn(&opened.c.t)
        })
}

/// Boxes of texts out of style sheets that must not be seen.
fn texts<'a>(told: &'a [Text], request: &'a PictureRequest) -> impl Iterator<Item = &'a Option<Told>> {
    told.iter().filter(|(text, _)| request.hidden.text(text)).map(|(_, drawn)| drawn)
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
