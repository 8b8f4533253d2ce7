//! What stood on the screen as the model said that it had come to an end: for whoever judges the application by it.

use waymark_recording::{Shown, Wish};
use waymark_run::Code;
use waymark_snapshot::UiSnapshot;
use waymark_surface::{Observation, Settling};

use super::{Ending, Walk};
use crate::Stage;

/// The end of a job as the engine saw it, whatever the model says of it.
#[derive(Clone, Debug)]
pub struct Closing {
    /// The screen.
    pub screen: UiSnapshot,
    /// Whether it had come to rest: only then it can be said that something is not there.
    pub at_rest: bool,
    /// What each condition of the job came to, in their order.
    pub conditions: Vec<Standing>,
    /// Why the policy refused something that was not done since, where it did.
    pub refused: Option<Code>,
}

/// What a condition comes to at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It holds, and came by what was done.
    Holds,
    /// It holds, and did so before anything was done: that proves nothing.
    Stood,
    /// It does not hold.
    Unmet,
    /// It cannot be told: the screen had not come to rest, or a part of it cannot be read.
    Unknown,
}

impl<S: Stage> Walk<'_, '_, S> {
    /// Keeps what stands there now.
    pub(super) fn close(&mut self, seen: &Observation) {
        let at_rest = matches!(seen.settling, Settling::Settled);
        let screen = &seen.snapshot;
        let (shown, proven) = self.coming(screen);
        let conditions =
            shown.iter().map(|(fixed, shown)| standing(&fixed.wish, shown, proven, screen, at_rest)).collect();
        let refused = match (self.ungranted.is_empty(), self.refusals) {
            (false, _) => Some(Code::RiskApproval),
            (true, 0) => None,
            (true, _) => Some(Code::PolicyBlocked),
        };
        self.closing = Some(Closing { screen: screen.clone(), at_rest, conditions, refused });
    }

    /// The model says that it cannot be done. What the application answered may have come while it thought.
    pub(super) async fn gave_up(&mut self, why: &str, seen: &mut Observation) -> Ending {
        let why = self.stage.veil(why);
        // A screen that cannot be looked at any more takes nothing from what the model says.
        if let Ok(now) = self.stage.look().await {
            *seen = now;
            self.close(seen);
        }
        Ending::Blocked { why }
    }
}

/// What a condition comes to: it is said to hold by what is there, and not to hold by what is there instead.
fn standing(wish: &Wish, shown: &Shown, proven: bool, screen: &UiSnapshot, at_rest: bool) -> Standing {
    let whole = at_rest && screen.scopes().iter().all(|scope| scope.readable);
    match (shown, wish) {
        (Shown::Stood { always, .. }, _) if *always || !proven => Standing::Stood,
        // That a text is nowhere is believed of a screen at rest alone.
        (Shown::Anew(_) | Shown::Hidden | Shown::Stood { .. }, Wish::NotText(_)) if !whole => Standing::Unknown,
        (Shown::Anew(_) | Shown::Hidden | Shown::Stood { .. }, _) => Standing::Holds,
        (Shown::No, Wish::NotText(text)) if Wish::Text(text.clone()).holds(screen) => Standing::Unmet,
        (Shown::No, Wish::Url(_)) if at_rest => Standing::Unmet,
        (Shown::No, _) if whole => Standing::Unmet,
        (Shown::No, _) => Standing::Unknown,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "screens are literals here")]

    use waymark_snapshot::parse;

    use super::*;

    const ORDERED: &str = "window main <http://shop.test/order>\n  text \"Total: $24.00\" block=1\n";

    fn of(wish: &Wish, screen: &UiSnapshot, at_rest: bool) -> Standing {
        let shown = wish.shown(&[], screen, &waymark_recording::Values::new());
        standing(wish, &shown, true, screen, at_rest)
    }

    #[test]
    fn what_is_there_is_believed_at_once_and_what_is_not_there_at_rest_alone() {
        let screen = parse(ORDERED).unwrap();
        let (right, wrong) = (Wish::Text("Total: $24.00".into()), Wish::Text("Total: $42.00".into()));
        assert_eq!([of(&right, &screen, true), of(&right, &screen, false)], [Standing::Holds; 2]);
        assert_eq!([of(&wrong, &screen, true), of(&wrong, &screen, false)], [Standing::Unmet, Standing::Unknown]);
        let (absent, present) = (Wish::NotText("An error".into()), Wish::NotText("Total".into()));
        assert_eq!([of(&absent, &screen, true), of(&absent, &screen, false)], [Standing::Holds, Standing::Unknown]);
        assert_eq!([of(&present, &screen, true), of(&present, &screen, false)], [Standing::Unmet; 2]);
    }
}
