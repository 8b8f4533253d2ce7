//! Mouse input and what sets toggles; scrolling.

use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;
use waymark_snapshot::NodeId;
use waymark_surface::{DriverError, NotDelivered, ReadBack};

use super::aim::{Spot, Window};
use super::{Miss, Tried, after, before};
use crate::cdp::Done;
use crate::core::Core;
use crate::router::CallError;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Held {
    pub(super) gone: bool,
    pub(super) value: Option<String>,
    pub(super) text: String,
    pub(super) checked: bool,
    pub(super) selected: Vec<String>,
    pub(super) protected: bool,
}

impl Core {
    /// Presses and releases the primary button. All three events are sent at once: awaited one by one each
    /// would wait for a frame to be drawn.
    pub(super) async fn press_at(&self, window: &Window, (x, y): (f64, f64), end: Instant) -> Tried<()> {
        let on = Some(&window.session);
        let event = |kind: &str, count: u8| {
            let buttons = u8::from(kind == "mousePressed");
            let button = if count == 0 { "none" } else { "left" };
            json!({"type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": count})
        };
        let sent = [("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 1)]
            .map(|(kind, count)| self.router.send(on, "Input.dispatchMouseEvent", event(kind, count)));
        let [moved, pressed, released] = sent;
        moved.within::<Done>(end).await.map_err(|error| after(error, &window.key))?;
        pressed.within::<Done>(end).await.map_err(|error| after(error, &window.key))?;
        match released.within::<Done>(end).await {
            Ok(_) => Ok(()),
            // The press was acknowledged and its release took the window away: a look-up window that closes itself.
            Err(CallError::Detached) => Err(Miss::Reached),
            Err(error) => Err(after(error, &window.key)),
        }
    }

    pub(super) async fn set_checked(&self, node: &NodeId, checked: bool, end: Instant) -> Tried<Option<ReadBack>> {
        let spot = self.spot(node)?;
        let held = self.held(&spot, end).await.map_err(|error| before(error, &spot.window.key))?;
        if held.gone {
            return Err(Miss::Not(NotDelivered::Stale));
        }
        if held.checked == checked {
            return Ok(Some(ReadBack::Checked(checked)));
        }
        let aim = self.aim_at(spot, end).await?;
        let toggle =
            matches!(aim.kind.role.as_str(), "checkbox" | "radio" | "switch" | "menuitemcheckbox" | "menuitemradio");
        if !toggle {
            let why = format!("a {} is neither on nor off", aim.kind.role);
            return Err(Miss::Not(NotDelivered::Unsupported { why }));
        }
        if !checked && aim.kind.role.ends_with("radio") {
            let why = "a radio button is left by choosing another one".to_owned();
            return Err(Miss::Not(NotDelivered::Unsupported { why }));
        }
        self.begin();
        self.press_at(&aim.window, aim.point, end).await?;
        Ok(match self.held(&aim.spot, end).await {
            Ok(held) if !held.gone => Some(ReadBack::Checked(held.checked)),
            _ => None,
        })
    }

    pub(super) async fn scroll(&self, node: Option<&NodeId>, end: Instant) -> Tried<Option<ReadBack>> {
        #[derive(Deserialize)]
        struct Scrolled {
            #[serde(default)]
            gone: bool,
        }
        let (frame_of, spot) = match node {
            Some(node) => {
                let spot = self.spot(node)?;
                (spot.window.clone(), Some(spot))
            }
            None => (self.front()?, None),
        };
        self.begin();
        let asked = match &spot {
            Some(spot) => self.about::<Scrolled>(spot, &format!("wmx.scrollPage({})", spot.id), end).await,
            None => {
                let target = self.state().window(&frame_of.key).map(|w| w.target.clone()).unwrap_or_default();
                self.evaluate::<Scrolled>(&target, "wmx.scrollPage(null)", end).await
            }
        };
        match asked {
            Ok(scrolled) if scrolled.gone => Err(Miss::Not(NotDelivered::Stale)),
            Ok(_) => Ok(None),
            Err(error @ (CallError::Refused { .. } | CallError::Detached)) => Err(before(error, &frame_of.key)),
            Err(error) => Err(after(error, &frame_of.key)),
        }
    }

    /// What a control holds now.
    pub(super) async fn held(&self, spot: &Spot, end: Instant) -> Result<Held, CallError> {
        self.about(spot, &format!("wm.state({})", spot.id), end).await
    }

    /// The window that was acted in last, or the main one.
    pub(super) fn front(&self) -> Tried<Window> {
        let state = self.state();
        if state.dialog.is_some() {
            return Err(Miss::Not(NotDelivered::DialogOpen));
        }
        let key = state.front.clone().unwrap_or_else(waymark_snapshot::WindowKey::main);
        let window = state.window(&key).or_else(|| state.windows.first());
        match window {
            Some(window) => Ok(Window { key: window.key.clone(), session: window.session.clone() }),
            None => Err(Miss::Not(NotDelivered::Failed(DriverError::WindowClosed { window: key }))),
        }
    }
}
