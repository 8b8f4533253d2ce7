#![expect(clippy::unwrap_used, reason = "screens and names are literals here")]

use waymark_artifact::{Name, ScreenIdPattern};
use waymark_snapshot::{UiSnapshot, parse};

use super::{appeared, captions_of, checkpoint};
use crate::Values;

/// A screen of a console: identifier, a line of status, captions and what stands beside them, and more lines.
fn screen(id: &str, status: &str, facts: &[(&str, &str)], more: &str) -> UiSnapshot {
    let mut text = format!("window main <http://app.test/{id}>\n  text \"{id}\"\n  table native=table\n    row\n");
    text += &format!(
        "      cell \"TELLER1\" cell=0,0\n        text \"TELLER1\"\n      cell \"{status}\" cell=0,1\n        text \"{status}\"\n"
    );
    if !facts.is_empty() {
        text += "  table native=table\n";
    }
    for (row, (caption, value)) in facts.iter().enumerate() {
        text += "    row\n";
        for (col, said) in [caption, value].into_iter().enumerate() {
            text += &format!("      cell \"{said}\" cell={row},{col}\n        text \"{said}\"\n");
        }
    }
    parse(&format!("{text}{more}")).unwrap()
}

fn inquiry() -> UiSnapshot {
    let more = "  table native=table\n    row\n      cell \"Member No.\" cell=0,0\n        text \"Member No.\"\n      cell cell=0,1\n        textbox native=input:text\n  button \"Inquire\"\n";
    screen("MI0200", "", &[], more)
}

fn values(ids: bool, screens: &[&UiSnapshot]) -> Values {
    let mut values = Values::new();
    for (name, value) in [("member_number", "12345"), ("from_share", "12345-00"), ("amount", "20.00")] {
        values.parameter(Name::new(name).unwrap(), value.into());
    }
    let ids = ids.then(|| ScreenIdPattern { pattern: "[A-Z]{2}[0-9]{4}".into(), place: Default::default() });
    values.screens(ids);
    values.seen_with(captions_of(screens.iter().copied()), &[])
}

const DETAIL: [(&str, &str); 4] =
    [("Member No.", "12345"), ("Name", "ALVAREZ, MARIA T"), ("City", "FORT HALDEN"), ("Address", "4410 KESTREL LOOP")];
const STATUS: &str = "Member No. 12345 ALVAREZ, MARIA T";

/// What is taken for the proof that one screen came after another.
#[track_caller]
fn check(ids: bool, before: &UiSnapshot, after: &UiSnapshot, expected: &str) {
    let values = values(ids, &[before, after]);
    let told = checkpoint(&appeared(before, after, &values));
    assert_eq!(told.map(|c| c.description).as_deref().unwrap_or("nothing"), expected);
}

#[test]
fn a_screen_is_known_by_its_identifier_and_by_the_value_that_it_is_about_and_by_nothing_of_the_record() {
    let detail = screen("MI0210", STATUS, &DETAIL, "  heading \"Detail\" level=1\n");
    check(
        true,
        &inquiry(),
        &detail,
        "The screen is MI0210, and the heading \"Detail\" is there, and \"Member No.\" is `member_number`.",
    );
    check(false, &inquiry(), &detail, "The heading \"Detail\" is there, and \"Member No.\" is `member_number`.");
    let detail = screen("MI0210", STATUS, &DETAIL, "");
    check(true, &inquiry(), &detail, "The screen is MI0210, and \"Member No.\" is `member_number`.");
    check(false, &inquiry(), &detail, "\"Member No.\" is `member_number`.");
}

#[test]
fn a_line_that_mixes_a_value_with_words_is_a_proof_only_where_they_are_a_caption() {
    let of = |line: &str| screen("X", "", &[], &format!("  text \"{line}\"\n"));
    check(false, &inquiry(), &of("Member No. 12345"), "It says \"Member No. {member_number}\".");
    check(false, &inquiry(), &of("Member: 12345"), "It says \"Member: {member_number}\".");
    for line in [STATUS, "12345 ALVAREZ", "Paid 20.00 to Maria", "12345-00 REGULAR SAVINGS", "Account 12345-30"] {
        let told = checkpoint(&appeared(&inquiry(), &of(line), &values(false, &[&inquiry()])));
        assert_eq!(told.map(|c| c.description).as_deref().unwrap_or("nothing"), "nothing", "{line}");
    }
}

#[test]
fn a_value_among_the_rows_of_a_list_is_not_what_the_screen_is_about() {
    let list = "  heading \"List\" level=1\n  table native=table\n    row\n      columnheader \"Share\" cell=0,0,1,1,header\n        text \"Share\"\n    row\n      cell \"12345-00\" cell=1,0\n        text \"12345-00\"\n";
    check(
        true,
        &inquiry(),
        &screen("SA0320", "", &[], list),
        "The screen is SA0320, and the heading \"List\" is there.",
    );
}

#[test]
fn a_sentence_around_several_values_proves_only_what_is_looked_up_where_it_does_not_come() {
    let sentence = "Moved 20.00 to your share 12345-00.";
    let after = screen("DONE", "", &[], &format!("  heading \"Done\" level=1\n  text \"{sentence}\"\n"));
    let proofs = appeared(&inquiry(), &after, &values(false, &[&inquiry()]));
    let told = |plain: bool| {
        let proofs: Vec<_> = proofs.iter().filter(|proof| !plain || proof.is_plain()).cloned().collect();
        checkpoint(&proofs).unwrap().description
    };
    assert_eq!(
        told(false),
        "The heading \"Done\" is there, and it says \"Moved {amount} to your share {from_share}.\"."
    );
    assert_eq!(told(true), "The heading \"Done\" is there.");
}

#[test]
fn before_a_press_that_asks_once_more_every_value_stands_there() {
    let confirm = screen("TR0610", STATUS, &[("Amount:", "20.00"), ("From:", "12345-00"), ("To:", "12345-10")], "");
    let told = super::values_shown(&confirm, &values(true, &[])).unwrap();
    assert_eq!(told.description, "\"Amount:\" is `amount`, and \"From:\" is `from_share`.");
}

#[test]
fn a_value_behind_its_term_is_told_as_the_text_it_is_whatever_stands_around_it() {
    let facts = "  term \"Member No.\" block=1\n    text \"Member No.\" block=1\n  definition block=2\n    text \"12345\" block=2\n";
    let before = inquiry();
    let profile = screen("MI0210", "", &[], facts);
    let values = values(true, &[&before, &profile]);
    let told = appeared(&before, &profile, &values);
    let about = told.iter().find(|proof| proof.words == "\"Member No.\" is `member_number`").unwrap();
    let find = serde_json::to_value(&about.condition).unwrap()["element"]["find"].clone();
    assert_eq!((&find["role"], &find["name"]), (&"text".into(), &"{param.member_number}".into()), "{find}");
    // The same sentence holds where the vendor puts both into cells.
    assert!(super::is_so(&about.condition, &screen("MI0210", "", &DETAIL, ""), &values));
    assert!(!super::is_so(&about.condition, &screen("MI0210", "", &[("Name", "12345")], ""), &values));
}
