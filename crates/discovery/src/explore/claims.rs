//! "It is done": what the analyst fixed decides, by what the screen shows now.

use waymark_artifact::Risk;
use waymark_recording::{Shown, Wish};
use waymark_snapshot::{Role, ScopeId, UiSnapshot, WindowKey, squash};
use waymark_surface::Observation;

use super::{Came, Ending, TOLD, Walk};
use crate::{Fixed, Stage};

/// Characters of one text that is shown instead of what was fixed.
const TEXT: usize = 60;
/// How many of them are told.
const TEXTS: usize = 3;

impl<S: Stage> Walk<'_, '_, S> {
    /// The model says that it is done. The screen is looked at again: what it showed before the model thought proves nothing.
    pub(super) async fn claimed(&mut self, seen: &mut Observation) -> Result<Came, Ending> {
        *seen = self.look().await?;
        self.close(seen);
        let mut missing = self.missing(&seen.snapshot);
        let unread = self.job.outputs.iter().filter(|o| !o.optional && !self.outputs.contains(&o.name));
        missing.extend(unread.map(|o| format!("`{}` was not read", o.name)));
        if missing.is_empty() {
            // What holds without the refused deed may hold for weak conditions alone: a document without it would say
            // that it does the job.
            return Err(match self.ungranted.last() {
                None => {
                    self.proof = Some(seen.snapshot.clone());
                    Ending::Done
                }
                Some((_, words)) => Ending::Unproven {
                    missing: format!(
                        "acting on {words} was refused, because its risk was not approved, and was never done; approve it, or ask for less"
                    ),
                },
            });
        }
        let missing = missing.join("; ");
        self.claims += 1;
        if self.claims > TOLD {
            return Err(Ending::Unproven { missing });
        }
        Ok(Came { done: false, result: format!("it is not done: {missing}") })
    }

    /// For each of the conditions whether it holds, and not only where it did before anything was done.
    pub(super) fn holding(&self, screen: &UiSnapshot) -> Vec<bool> {
        let shown = self.job.success.iter().map(|fixed| self.comes_to(fixed, screen));
        shown.map(|shown| shown.holds() && !matches!(shown, Shown::Stood { always: true, .. })).collect()
    }

    fn comes_to(&self, fixed: &Fixed, screen: &UiSnapshot) -> Shown {
        fixed.wish.shown(&self.deeds, screen, &self.job.values)
    }

    /// What each of the conditions comes to, and whether anything but what stood there before shows that something was done.
    pub(super) fn coming(&self, screen: &UiSnapshot) -> (Vec<(&Fixed, Shown)>, bool) {
        let shown: Vec<(&Fixed, Shown)> =
            self.job.success.iter().map(|fixed| (fixed, self.comes_to(fixed, screen))).collect();
        let proves = |(fixed, shown): &(&Fixed, Shown)| {
            matches!(shown, Shown::Anew(_)) && !matches!(fixed.wish, Wish::NotText(_))
        };
        let proven = shown.iter().any(proves) || !self.outputs.is_empty() || self.sent > Risk::Safe;
        (shown, proven)
    }

    /// What of the conditions is missing, in words. What stood there from the beginning proves nothing; nor does what stands
    /// there since signing on, where nothing else would show that more was done.
    fn missing(&self, screen: &UiSnapshot) -> Vec<String> {
        let (shown, proven) = self.coming(screen);
        let said = shown.iter().filter_map(|(fixed, shown)| match shown {
            Shown::No => Some(self.instead(fixed, screen)),
            Shown::Stood { always: true, place, .. } => {
                Some(format!("{} (it did so from the beginning, {place}: that proves nothing)", fixed.words))
            }
            Shown::Stood { always: false, place, .. } if !proven => {
                Some(format!("{} (it did so before anything was done, {place}: that proves nothing)", fixed.words))
            }
            Shown::Stood { .. } | Shown::Anew(_) | Shown::Hidden => None,
        });
        said.collect()
    }

    /// What was fixed and does not hold, and what there is in its place.
    fn instead(&self, fixed: &Fixed, screen: &UiSnapshot) -> String {
        let veil = self.veiled();
        let texts = match &fixed.wish {
            Wish::Text(_) => standing(screen),
            Wish::NotText(text) => lines(screen).filter(|line| line.contains(&squash(text))).collect(),
            Wish::Url(_) => {
                let main = screen.window(&WindowKey::main()).map(|s| screen.scope(s).location.as_str());
                // What follows the path may hold a session's name.
                let path = main.and_then(|location| location.split(['?', '#', ';']).next());
                path.map(str::to_owned).into_iter().collect()
            }
        };
        let quoted = |text: &String| format!("\"{}\"", veil(text).chars().take(TEXT).collect::<String>());
        let texts: Vec<String> = texts.iter().take(TEXTS).map(quoted).collect();
        let texts = match (&fixed.wish, texts.is_empty()) {
            (_, false) => format!("there is {}", texts.join(", ")),
            (Wish::NotText(_), true) => "a part of it cannot be read".to_owned(),
            (_, true) => "it shows nothing".to_owned(),
        };
        format!("{} (not now: {texts})", fixed.words)
    }
}

/// By what a person would call a screen: its headings; its first texts where it has none.
fn standing(screen: &UiSnapshot) -> Vec<String> {
    let heads = screen.nodes().iter().filter(|node| node.role == Role::Heading).map(|node| squash(&node.name));
    let heads: Vec<String> = heads.filter(|text| !text.is_empty()).collect();
    if heads.is_empty() { lines(screen).filter(|text| !text.is_empty()).take(TEXTS).collect() } else { heads }
}

fn lines(screen: &UiSnapshot) -> impl Iterator<Item = String> + '_ {
    let scopes = (0u32..).map(ScopeId).zip(screen.scopes());
    scopes.flat_map(|(scope, _)| screen.lines(scope).into_iter().map(|(_, line)| squash(&line)))
}
