//! Whether what the analyst wants to see came by what was done, or stood there all along.
//!
//! A menu says on every screen what a page says once: what proves something is the place where it is new.

use waymark_artifact::{Condition, Place};
use waymark_perception::{is_screen_id, place, screen_ids};
use waymark_snapshot::{State, UiSnapshot, squash};

use crate::deed::pressed_after;
use crate::{Deed, Did, Values, Wish, is_so};

/// What a wish comes to on a screen, after what was done before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// It does not hold.
    No,
    /// It holds, and no document can say so without a value that must not be seen.
    Hidden,
    /// It holds, and did not all the time: the condition by which a replay checks it.
    Anew(Condition),
    /// It holds, and did before anything was done for the job.
    Stood {
        /// The condition by which a replay would check it.
        condition: Condition,
        /// Whether it held from the first screen on; otherwise since signing on.
        always: bool,
        /// Where, in words.
        place: String,
    },
}

impl Shown {
    /// Whether it holds at all.
    #[must_use]
    pub fn holds(&self) -> bool {
        *self != Shown::No
    }
}

impl Wish {
    /// What it comes to on a screen that was seen after these deeds. Of several frames that show it, one where it is new
    /// counts; a text that is one of the application's screen identifiers is the screen's, and nothing else.
    #[must_use]
    pub fn shown(&self, deeds: &[Deed], screen: &UiSnapshot, values: &Values) -> Shown {
        if !self.holds(screen) {
            return Shown::No;
        }
        let candidates = match (self, self.identifies(screen, values)) {
            (_, Some(None)) => return Shown::No,
            (_, Some(Some(condition))) => vec![condition],
            (_, None) => self.candidates(screen, values),
        };
        // That something is nowhere to be seen is no proof, and is asked for beside one.
        if matches!(self, Wish::NotText(_)) {
            return candidates.into_iter().next().map_or(Shown::Hidden, Shown::Anew);
        }
        let (all, since) = course(deeds);
        let stood = |condition: &Condition, screens: &[&UiSnapshot]| {
            !screens.is_empty() && screens.iter().all(|seen| is_so(condition, seen, values))
        };
        let anew = candidates.iter().find(|condition| !stood(condition, &all[since..]));
        if let Some(condition) = anew {
            return Shown::Anew(condition.clone());
        }
        let later = candidates.iter().find(|condition| !stood(condition, &all));
        match later.map(|condition| (condition, false)).or_else(|| Some((candidates.first()?, true))) {
            Some((condition, always)) => {
                Shown::Stood { condition: condition.clone(), always, place: in_words(condition) }
            }
            None => Shown::Hidden,
        }
    }

    /// Where the text can only be a screen's identifier: the condition on it, or `None` where the screen is another one.
    fn identifies(&self, screen: &UiSnapshot, values: &Values) -> Option<Option<Condition>> {
        let (Wish::Text(text), ids) = (self, values.screen_id()?) else { return None };
        let text = squash(text);
        if !is_screen_id(&text, ids) {
            return None;
        }
        let shown = identifiers(screen, values).contains(&text);
        let equals = values.reference(&text).filter(|_| shown);
        Some(equals.map(|equals| Condition::ScreenId { place: ids.place.clone(), equals }))
    }
}

/// The identifiers that a screen shows where the application shows them.
#[must_use]
pub fn identifiers(screen: &UiSnapshot, values: &Values) -> Vec<String> {
    let Some(ids) = values.screen_id() else { return Vec::new() };
    let scope = place(screen, ids.place.window.as_ref(), &ids.place.frame, &values.bindings());
    scope.map(|scope| screen_ids(screen, scope, ids)).unwrap_or_default()
}

/// The screens of a way, and from which of them on the job itself was worked at: once signed on, or from the first screen.
/// Where nothing but the start was opened, that alone brought what there is.
fn course(deeds: &[Deed]) -> (Vec<&UiSnapshot>, usize) {
    let acts = |deed: &Deed| !matches!(deed.did, Did::Read { .. });
    if !deeds.iter().skip(1).any(acts) {
        return (Vec::new(), 0);
    }
    let mut screens: Vec<&UiSnapshot> = Vec::new();
    let mut since = 0;
    // Nothing is known of the contract yet: what is put into a field that hides it is a secret.
    let hidden =
        |deed: &Deed| matches!(&deed.did, Did::Type { node, .. } if deed.before.node(*node).is(State::Protected));
    let signed_on = pressed_after(deeds, hidden);
    let first = deeds.iter().enumerate().find(|(at, deed)| signed_on.is_some_and(|last| *at > last) && acts(deed));
    for (at, deed) in deeds.iter().enumerate() {
        if first.is_some_and(|(first, _)| first == at) {
            since = screens.len();
        }
        // Before the first one there was no application.
        screens.extend((at > 0).then_some(&deed.before));
        screens.push(&deed.after);
    }
    (screens, since)
}

/// A place in words.
fn in_words(condition: &Condition) -> String {
    let Some(Place { window, frame }) = condition.place() else { return "on the screen".to_owned() };
    let frames =
        frame.iter().filter_map(|frame| frame.name.as_ref().or(frame.title.as_ref()).or(frame.location.as_ref()));
    let frames: Vec<String> = frames.map(|name| format!("in frame \"{name}\"")).collect();
    let window = window.iter().map(|name| format!("in window \"{name}\""));
    let all: Vec<String> = window.chain(frames).collect();
    if all.is_empty() { "on the page itself".to_owned() } else { all.join(" ") }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "screens are literals here")]

    use waymark_artifact::{Risk, ScreenIdPattern, Typing};
    use waymark_snapshot::{Ix, parse};

    use super::*;
    use crate::Given;

    /// A console in two frames: a menu that always stands, and a screen with its identifier and heading.
    fn screen(id: &str, title: &str, menu: &str) -> UiSnapshot {
        parse(&format!(
            "window main <http://app.test/>\n  frame name=\"nav\" <http://app.test/nav>\n    {menu}\n  \
             frame name=\"main\" <http://app.test/screen>\n    text \"{id}\" block=1\n    text \"{title}\" block=2\n    \
             textbox \"Password\" [protected]\n    button \"Go\"\n"
        ))
        .unwrap()
    }

    fn deed(did: Did, before: &UiSnapshot, after: &UiSnapshot) -> Deed {
        let (before, after) = (before.clone(), after.clone());
        let (hint, opened, dialogs, why) = (None, None, Vec::new(), String::new());
        Deed { did, before, after, risk: Risk::Safe, hint, opened, dialogs, why }
    }

    fn thing(screen: &UiSnapshot, role: &str) -> Ix {
        screen.iter().find(|(_, node)| node.role.as_str() == role).unwrap().0
    }

    const MENU: &str = "link \"Loan Accounts\" [focusable]\n      text \"Loan Accounts\" block=9";
    const NONE: &str = "text \"Sign on first\"";

    /// What a text comes to on the last of these screens: the first is opened, a password typed on it and sent, and what
    /// follows pressed.
    #[track_caller]
    fn check(text: &str, screens: &[UiSnapshot], expected: &str) {
        let mut deeds = vec![deed(Did::Open { location: String::new() }, &UiSnapshot::default(), &screens[0])];
        let value = Given::Literal("x".into());
        let field = thing(&screens[0], "textbox");
        deeds.push(deed(Did::Type { node: field, value, typing: Typing::Insert }, &screens[0], &screens[0]));
        for pair in screens.windows(2) {
            deeds.push(deed(Did::Click { node: thing(&pair[0], "button") }, &pair[0], &pair[1]));
        }
        let ids: ScreenIdPattern =
            serde_json::from_str(r#"{"pattern": "[A-Z]{2}[0-9]{4}", "place": {"frame": [{"name": "main"}]}}"#).unwrap();
        let last = screens.last().unwrap();
        let mut values = Values::new();
        values.screens(Some(ids));
        let said = match Wish::Text(text.into()).shown(&deeds, last, &values) {
            Shown::No | Shown::Hidden => "no".to_owned(),
            Shown::Anew(condition) => serde_json::to_string(&condition).unwrap(),
            Shown::Stood { always, place, .. } => format!("stood {} {place}", if always { "always" } else { "since" }),
        };
        assert_eq!(said, expected, "{text}");
    }

    #[test]
    fn a_text_of_the_menu_counts_in_the_frame_where_it_is_new() {
        let way = [
            screen("MI0100", "Sign On", MENU),
            screen("MI0200", "Inquiry", MENU),
            screen("LN0410", "Loan Accounts", MENU),
        ];
        let anew = r#"{"kind":"text_present","place":{"frame":[{"name":"main"}]},"match":{"text":"Loan Accounts"}}"#;
        check("Loan Accounts", &way, anew);
        check("Loan Accounts", &way[..2], "stood always in frame \"nav\"");
        let later = [screen("MI0100", "Sign On", NONE), way[1].clone(), screen("LN0410", "Loans", MENU)];
        check("Loan Accounts", &later, "stood since in frame \"nav\"");
    }

    #[test]
    fn what_signing_on_brought_is_new_as_long_as_nothing_else_was_done() {
        let way = [screen("MI0100", "Sign On", NONE), screen("MI0200", "Inquiry", MENU)];
        let anew = r#"{"kind":"text_present","place":{"frame":[{"name":"main"}]},"match":{"text":"Inquiry"}}"#;
        check("Inquiry", &way, anew);
        // What went away and came again did not stand there.
        let back = [way[0].clone(), way[1].clone(), screen("LN0410", "Loans", MENU), way[1].clone()];
        check("Inquiry", &back, anew);
    }

    #[test]
    fn a_text_that_is_a_screen_identifier_is_the_screen_and_no_text_elsewhere() {
        let menu = "link \"LN0410\" [focusable]\n      text \"LN0410\" block=9";
        let way =
            [screen("MI0100", "Sign On", menu), screen("MI0200", "Inquiry", menu), screen("LN0410", "Loans", menu)];
        check("LN0410", &way, r#"{"kind":"screen_id","place":{"frame":[{"name":"main"}]},"equals":"LN0410"}"#);
        check("LN0410", &way[..2], "no");
    }
}
