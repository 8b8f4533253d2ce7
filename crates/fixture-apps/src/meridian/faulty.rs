//! What the faults do to this console: answers that come instead of its own, and screens that are not as they should be.

use super::screen::{Part, Screen};
use super::skin;
use super::words::{Variant, Word};
use crate::faults::{Faults, Mode, Place, Struck};

/// The words of a host that failed and knows it.
pub(super) const HOST_ERROR: &str = "SYS-9001 HOST RETURNED AN UNEXPECTED REPLY - CALL THE HELP DESK";

/// The words for a function that may not be used.
pub(super) const NOT_ENTITLED: &str = "SEC-0413 OPERATOR NOT ENTITLED TO THIS FUNCTION";

/// What a crashed host leaves behind, at a screen. It says nothing of what was done before.
pub(super) fn abend(place: Place) -> String {
    let program = place.name();
    format!(
        "DFHAC2206 TRANSACTION {program} HAS FAILED WITH ABEND ASRA.\nABEND S0C7 IN PROGRAM {program} OFFSET 0000A3F2\n\
         PSW 078D0000 8A3F2A10  SYSTEM MERCOR42\nDUMP TAKEN. CALL OPERATIONS."
    )
}

/// Spoils a screen as far as faults strike it.
pub(super) fn spoil(screen: &mut Screen, variant: Variant, faults: &Faults, request: &Struck) {
    let Some(place) = screen.place else {
        return;
    };
    let has_form = screen.parts.iter().any(|part| matches!(part, Part::Form(_)));
    if let Some(control) = screen.main_control() {
        let mut whole = true;
        for mode in [Mode::ElementMissing, Mode::RenameControl, Mode::DuplicateControl] {
            // What another fault took away or renamed cannot be struck again.
            if whole && faults.strike(mode, place, request) {
                change(control, mode);
                whole = false;
            }
        }
        if has_form
            && let Part::Form(form) = control
            && !form.buttons.is_empty()
            && faults.strike(Mode::UndeclaredDialog, place, request)
        {
            form.buttons.iter_mut().for_each(|button| button.asks = true);
        }
    }
    if !has_form && faults.strike(Mode::UndeclaredDialog, place, request) {
        screen.tail.push_str(&skin::question_at_load());
    }
    if faults.strike(Mode::Interstitial, place, request) {
        screen.tail.push_str(&skin::notice(variant));
    }
    if faults.strike(Mode::NativeDialog, place, request) {
        screen.tail.push_str(skin::ALERT);
    }
}

fn change(control: &mut Part, mode: Mode) {
    match (control, mode) {
        (Part::Form(form), Mode::ElementMissing) => form.buttons.clear(),
        (Part::Form(form), Mode::RenameControl) => {
            form.buttons.iter_mut().for_each(|button| button.word = Word::OtherButton);
        }
        (Part::Form(form), _) => form.buttons.extend_from_within(..),
        (Part::Links(links), Mode::ElementMissing) => {
            links.remove(0);
        }
        (Part::Links(links), Mode::RenameControl) => links[0].word = Word::OtherButton,
        (Part::Links(links), _) => links.insert(0, links[0].clone()),
        // The column that is read bears another name; the row that is read is there twice.
        (Part::Table(table), Mode::RenameControl) => {
            for column in table.columns.iter_mut().filter(|column| **column == Word::Balance) {
                *column = Word::OtherColumn;
            }
        }
        (Part::Table(table), _) => table.rows.extend(table.rows.first().cloned()),
        _ => {}
    }
}
