//! What a model can repeat without end, and where each of these ends.

use waymark_recording::same_screen;
use waymark_snapshot::UiSnapshot;
use waymark_surface::Observation;

use super::{Came, Ending, Walk};
use crate::{Decision, Stage};

/// How often the same action on the same screen, one after the other, is too often.
const SAME: usize = 3;
/// How often with other things in between: a circle is no progress either.
const AGAIN: usize = 6;
/// How often in a row it is too often to wait, whatever a screen with a clock shows meanwhile.
const WAITS: usize = 10;
/// How many turns of a discovery may come to nothing.
const FRUITLESS: usize = 12;

impl<S: Stage> Walk<'_, '_, S> {
    /// Ends where the same was tried on the same screen too often.
    pub(super) fn repeated(&mut self, decision: &Decision, screen: &UiSnapshot) -> Result<(), Ending> {
        let action = nameless(decision);
        // Claims have an end of their own.
        if action == Decision::Done {
            return Ok(());
        }
        let same = |(tried, on): &&(Decision, UiSnapshot)| *tried == action && same_screen(on, screen);
        let in_a_row = self.tried.iter().rev().take_while(same).count() + 1;
        let ever = self.tried.iter().filter(same).count() + 1;
        let word = word(&action);
        if in_a_row >= SAME {
            return Err(no(format!("`{word}` was tried again and again, and nothing changed")));
        }
        if ever >= AGAIN {
            return Err(no(format!("`{word}` was tried on the same screen again and again: it goes in a circle")));
        }
        self.waits = if action == Decision::Wait { self.waits + 1 } else { 0 };
        if self.waits >= WAITS {
            return Err(no(format!("it was waited {WAITS} times in a row, and nothing else was done")));
        }
        self.tried.push((action, screen.clone()));
        Ok(())
    }

    /// Waits, and says whether that was of use.
    pub(super) async fn waited(&mut self, seen: &mut Observation) -> Result<Came, Ending> {
        let now = self.stage.wait().await.map_err(Ending::Surface)?;
        let still = same_screen(&seen.snapshot, &now.snapshot) && now.dialog.is_none();
        *seen = now;
        let result = if still {
            "nothing changed on the screen: do the next thing that the goal asks for"
        } else {
            "waited, and the screen changed"
        };
        Ok(Came { done: false, result: result.to_owned() })
    }

    /// Counts a turn that came to nothing.
    pub(super) fn came_to_nothing(&mut self) -> Result<(), Ending> {
        self.fruitless += 1;
        if self.fruitless < FRUITLESS {
            return Ok(());
        }
        Err(no(format!("{FRUITLESS} turns came to nothing")))
    }
}

/// A decision without the name under which something is read: another name for the same is no other deed.
fn nameless(decision: &Decision) -> Decision {
    let mut decision = decision.clone();
    if let Decision::Read { output, .. } | Decision::ReadTable { output, .. } = &mut decision {
        output.clear();
    }
    decision
}

fn no(what: String) -> Ending {
    Ending::NoProgress { what }
}

fn word(decision: &Decision) -> &'static str {
    match decision {
        Decision::Click { .. } => "click",
        Decision::Type { .. } => "type",
        Decision::Choose { .. } => "choose",
        Decision::SetChecked { checked: true, .. } => "check",
        Decision::SetChecked { checked: false, .. } => "uncheck",
        Decision::PressKey { .. } => "press_key",
        Decision::Read { .. } => "read",
        Decision::ReadTable { .. } => "read_table",
        Decision::Scroll { .. } => "scroll",
        Decision::Wait => "wait",
        Decision::Answer { accept: true } => "accept",
        Decision::Answer { accept: false } => "dismiss",
        Decision::Done => "done",
        Decision::Blocked { .. } => "blocked",
    }
}
