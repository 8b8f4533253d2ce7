//! Finding a node again and making sure that a click on it would land.

use std::sync::Arc;

use serde::Deserialize;
use tokio::time::Instant;
use waymark_snapshot::{NodeId, WindowKey};
use waymark_surface::{DriverError, NotDelivered};

use super::{Miss, Tried, before};
use crate::assemble::read_handle;
use crate::cdp::Evaluated;
use crate::core::Core;
use crate::router::CallError;

/// A node in the document it was seen in.
#[derive(Clone)]
pub(crate) struct Spot {
    pub(crate) window: Window,
    pub(crate) frame: String,
    pub(crate) session: Arc<str>,
    /// The agent's world: an answer never comes from another document.
    pub(crate) unique: String,
    pub(crate) id: u32,
}

/// A window to send input to.
#[derive(Clone)]
pub(crate) struct Window {
    pub(crate) key: WindowKey,
    pub(crate) session: Arc<str>,
}

/// A node that a click at `point` would reach.
pub(crate) struct Aim {
    pub(crate) spot: Spot,
    pub(crate) window: Window,
    /// In the window's viewport.
    pub(crate) point: (f64, f64),
    pub(crate) kind: Kind,
}

/// What the agent says of a node before it is acted on.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Kind {
    pub(crate) gone: bool,
    pub(crate) tag: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) editable: bool,
    pub(crate) direct: bool,
    pub(crate) list: bool,
    pub(crate) open: bool,
    pub(crate) focused: bool,
    pub(crate) readonly: bool,
    pub(crate) empty: bool,
    pub(crate) role: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Located {
    gone: bool,
    hidden: bool,
    disabled: bool,
    px: f64,
    py: f64,
    hit: bool,
    by: String,
}

#[derive(Debug, Deserialize)]
struct Found {
    l: Located,
    k: Kind,
    /// The point in the window, where the agent could follow it through all frames.
    #[serde(default)]
    t: Option<Through>,
}

#[derive(Debug, Deserialize)]
struct Through {
    x: f64,
    y: f64,
    hit: bool,
    by: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Holds {
    gone: bool,
    left: f64,
    top: f64,
    hit: bool,
    by: String,
}

/// How often the way through the frames is measured again because something scrolled meanwhile.
const MEASURES: usize = 4;

impl Core {
    /// The document and number behind a handle.
    pub(crate) fn spot(&self, node: &NodeId) -> Tried<Spot> {
        let stale = || Miss::Not(NotDelivered::Stale);
        let state = self.state();
        if let Some(why) = &state.gone {
            return Err(Miss::Not(NotDelivered::Failed(DriverError::Gone { why: why.clone() })));
        }
        if state.dialog.is_some() {
            return Err(Miss::Not(NotDelivered::DialogOpen));
        }
        let crashed = state.windows.iter().find(|w| w.crashed).map(|w| w.key.clone());
        let (serial, id) = read_handle(node).ok_or_else(stale)?;
        let Some((name, frame)) = state.by_serial(serial) else {
            // The documents of a crashed window are gone with its process; say so, since that is the reason.
            return Err(match crashed {
                Some(window) => Miss::Not(NotDelivered::Failed(DriverError::Crashed { window })),
                None => stale(),
            });
        };
        let window = state.window_of(name).ok_or_else(stale)?;
        let world = frame.world.as_ref().ok_or_else(stale)?;
        Ok(Spot {
            window: Window { key: window.key.clone(), session: window.session.clone() },
            frame: name.to_owned(),
            session: frame.session.clone(),
            unique: world.unique.clone(),
            id,
        })
    }

    /// Asks the agent about a spot, before anything left.
    pub(crate) async fn about<T: serde::de::DeserializeOwned>(
        &self,
        spot: &Spot,
        expression: &str,
        end: Instant,
    ) -> Result<T, CallError> {
        let awaited = self.ask_in(&spot.session, &spot.unique, expression, end);
        awaited.within::<Evaluated<T>>(end).await?.value()
    }

    /// A short path to the node in its own document, that finds it alone.
    pub(crate) async fn hint(&self, node: &NodeId, end: Instant) -> Option<String> {
        let spot = self.spot(node).ok()?;
        self.about::<Option<String>>(&spot, &format!("wm.hint({})", spot.id), end).await.ok().flatten()
    }

    /// Finds the node, brings it into view, and makes sure that a click would land, in its own frame and in
    /// every frame around it.
    pub(crate) async fn aim(&self, node: &NodeId, end: Instant) -> Tried<Aim> {
        self.aim_at(self.spot(node)?, end).await
    }

    pub(crate) async fn aim_at(&self, spot: Spot, end: Instant) -> Tried<Aim> {
        let miss = |error| before(error, &spot.window.key);
        if !self.is_mixed(&spot) {
            // The frames around it are mostly of one origin: then one look at one moment settles everything.
            let aim = self.ask_in(&spot.session, &spot.unique, &format!("wmx.aim({})", spot.id), end);
            let found: Found = aim.within::<Evaluated<Found>>(end).await.and_then(Evaluated::value).map_err(miss)?;
            refusal(&found)?;
            match found.t {
                Some(through) if through.hit => return Ok(self.aimed(spot, (through.x, through.y), found.k)),
                Some(through) => return Err(Miss::Not(NotDelivered::Covered { by: through.by })),
                None => {}
            }
        }
        let holders = self.holders(&spot, end).await?;
        for _ in 0..MEASURES {
            let id = spot.id;
            let locate = format!("({{l: wm.locate({id}, {{scroll: true}}), k: wmx.kindOf({id})}})");
            let located = self.ask_in(&spot.session, &spot.unique, &locate, end);
            // Sent along: answered after the scrolling, since one page's calls keep their order.
            let measures: Vec<_> = holders
                .iter()
                .map(|h| self.ask_in(&h.session, &h.unique, &format!("wmx.holds({})", h.id), end))
                .collect();
            let found: Found =
                located.within::<Evaluated<Found>>(end).await.and_then(Evaluated::value).map_err(miss)?;
            refusal(&found)?;
            let Found { l, k, .. } = found;
            let mut point = (l.px, l.py);
            let mut tests = Vec::new();
            for (holder, measure) in holders.iter().zip(measures) {
                let at: Holds =
                    measure.within::<Evaluated<Holds>>(end).await.and_then(Evaluated::value).map_err(miss)?;
                if at.gone {
                    return Err(Miss::Not(NotDelivered::Stale));
                }
                let test = format!("wmx.holds({}, {}, {})", holder.id, point.0, point.1);
                tests.push((self.ask_in(&holder.session, &holder.unique, &test, end), (at.left, at.top)));
                point = (point.0 + at.left, point.1 + at.top);
            }
            let mut moved = false;
            let mut covered = None;
            for (test, measured) in tests {
                let at: Holds = test.within::<Evaluated<Holds>>(end).await.and_then(Evaluated::value).map_err(miss)?;
                moved |= (at.left, at.top) != measured;
                if !at.hit {
                    covered = Some(at.by);
                }
            }
            if moved {
                continue;
            }
            if let Some(by) = covered {
                return Err(Miss::Not(NotDelivered::Covered { by }));
            }
            return Ok(self.aimed(spot, point, k));
        }
        Err(Miss::Not(NotDelivered::Covered { by: "a page that keeps moving".into() }))
    }

    fn aimed(&self, spot: Spot, point: (f64, f64), kind: Kind) -> Aim {
        let window = spot.window.clone();
        self.state().front = Some(window.key.clone());
        Aim { spot, window, point, kind }
    }

    /// Whether a frame around the spot's runs in another process.
    fn is_mixed(&self, spot: &Spot) -> bool {
        spot.session != spot.window.session
    }

    /// The elements that hold the spot's frame, from the inside out.
    async fn holders(&self, spot: &Spot, end: Instant) -> Tried<Vec<Spot>> {
        let mut holders = Vec::new();
        let mut inner = spot.frame.clone();
        loop {
            let Some(parent) = self.state().frames.get(&inner).and_then(|f| f.parent.clone()) else {
                return Ok(holders);
            };
            self.hold(&inner, end).await.map_err(|error| before(error, &spot.window.key))?;
            let state = self.state();
            let found = state.frames.get(&parent).and_then(|above| {
                let world = above.world.as_ref()?;
                let (serial, id) = state.frames.get(&inner)?.holder?;
                (serial == world.serial).then(|| Spot {
                    window: spot.window.clone(),
                    frame: parent.clone(),
                    session: above.session.clone(),
                    unique: world.unique.clone(),
                    id,
                })
            });
            holders.push(found.ok_or(Miss::Not(NotDelivered::Stale))?);
            inner = parent;
        }
    }
}

/// Why a click would not land within the frame itself.
fn refusal(Found { l, k, .. }: &Found) -> Tried<()> {
    Err(Miss::Not(if l.gone || k.gone {
        NotDelivered::Stale
    } else if l.hidden {
        NotDelivered::Hidden
    } else if l.disabled {
        NotDelivered::Disabled
    } else if !l.hit {
        NotDelivered::Covered { by: l.by.clone() }
    } else {
        return Ok(());
    }))
}
