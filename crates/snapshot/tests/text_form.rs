//! The text form says everything a snapshot holds.
use waymark_snapshot::{Fold, fold, parse, print, squash};

fn check(text: &str) {
    match parse(text) {
        Ok(snapshot) => assert_eq!(print(&snapshot).trim_end(), text.trim_end()),
        Err(error) => panic!("{error}"),
    }
}

fn check_error(text: &str, expected: &str) {
    match parse(text) {
        Ok(snapshot) => panic!("read as {}", print(&snapshot)),
        Err(error) => assert_eq!(error.to_string(), expected),
    }
}

#[test]
fn windows_frames_tables_and_controls_survive_the_round_trip() {
    check(
        r#"window main <http://a.test/index.htm> title="Front > page"
  frame "Navigation" name="nav" <http://a.test/nav.htm>
    link "Loans" [focusable] @0,0,40,12 -> "work.htm" native=a
      text "Loans"
  frame name="work" index=1 <http://a.test/work.htm> unreadable
  table
    row
      columnheader "Amount" cell=0,0,1,2,header
    row
      cell cell=1,0,1,1
        textbox "Am\"ount" = "1\n2" [disabled focusable] placeholder="0.00" labelled native=input:text block=90 #f1.7
  combobox "Month" = "March" options=("All" *"March" !"April")
window popup <about:blank>
  heading "Look up" level=2
"#,
    );
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the stored snapshots are the corpus")]
fn stored_snapshots_are_written_in_the_text_form() -> std::io::Result<()> {
    let mut seen = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/snapshots"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "txt") {
            check(&std::fs::read_to_string(&path)?);
            seen += 1;
        }
    }
    assert!(seen >= 8, "{seen} snapshots");
    Ok(())
}

#[test]
fn a_frame_without_content_holds_nothing_and_odd_words_are_quoted() {
    check(
        r#"window "two words" <"a b>c"> title="t"
  frame "Empty"
    button
  "odd role" "name" native="x y" #"h 1"
  table
    table
      cell cell=0,0,1,1 of=4
"#,
    );
    check_error("window main <x>\n  cell cell=0,0 of=9\n", "line 2: a table comes before its cells");
    check_error("window main <x\n", "line 1: `<` without `>`");
}

#[test]
fn the_text_of_a_node_joins_leaves_of_one_line_and_leaves_frames_out() {
    let text = "window main <x>\n  paragraph\n    text \"Paid \"\n    link\n      text \"5.00\" block=1\n    text \" to Ann\"\n    frame <y>\n      text \"inner\"\n";
    let snapshot = match parse(text) {
        Ok(snapshot) => snapshot,
        Err(error) => panic!("{error}"),
    };
    let paragraph = waymark_snapshot::Ix(1);
    assert_eq!(snapshot.text_of(paragraph), "Paid 5.00 to Ann");
}

#[test]
fn a_line_that_is_not_understood_is_named() {
    check_error("window main <x>\n  button \"Go\" quickly\n", "line 2: `quickly` is not understood");
    check_error("window main <x>\n   button\n", "line 2: indentation is two blanks a level");
    check_error("window main <x>\n    button\n", "line 2: a level was skipped");
    check_error("button\n", "line 1: the first line of a window is `window KEY`");
    check_error("window main <x>\n  button \"Go\n", "line 2: a quoted text has no end");
    check_error("window main <x>\n  cell cell=0,0\n", "line 2: a cell lies outside any table");
}

#[test]
fn texts_are_compared_as_a_person_reads_them() {
    assert_eq!(squash("  a\u{a0}\n b\t"), "a b");
    assert_eq!(fold("Log  Out:", Fold::Folded), fold("LOG OUT", Fold::Folded));
    assert_ne!(fold("Log out", Fold::Exact), fold("LOG OUT", Fold::Exact));
    assert_ne!(fold("Debit (-)", Fold::Folded), fold("Debit (+)", Fold::Folded));
}
