//! What a person would call a control without a name.
use waymark_perception::caption;
use waymark_snapshot::UiSnapshot;

use crate::read::{snapshot, stored};

/// Captions of all unnamed controls, a line each: role, caption, source.
fn captions(snapshot: &UiSnapshot) -> String {
    let together = waymark_perception::captions(snapshot);
    let one_by_one = snapshot.iter().filter_map(|(ix, _)| Some((ix, caption(snapshot, ix)?)));
    assert_eq!(together, one_by_one.collect());
    let unnamed = snapshot.iter().filter(|(_, n)| n.role.is_control() && n.name.is_empty());
    let lines = unnamed.map(|(ix, node)| match caption(snapshot, ix) {
        Some(c) => format!("{} {:?} {:?}\n", node.role, c.text, c.source),
        None => format!("{} -\n", node.role),
    });
    lines.collect()
}

fn check(body: &str, expected: &str) {
    assert_eq!(captions(&snapshot(&format!("window main <x>\n{body}"))), expected);
}

fn check_stored(name: &str, expected: &str) {
    assert_eq!(captions(&stored(name)), expected);
}

#[test]
fn a_caption_in_the_block_before_is_found() {
    check_stored(
        "parabank_login",
        "link -\ntextbox \"Username\" PrecedingBlock\ntextbox \"Password\" PrecedingBlock\n",
    );
}

#[test]
fn a_caption_in_the_adjacent_cell_is_found() {
    check_stored(
        "parabank_billpay",
        "link -\n\
         textbox \"Payee Name:\" AdjacentCell\n\
         textbox \"Address:\" AdjacentCell\n\
         textbox \"City:\" AdjacentCell\n\
         textbox \"State:\" AdjacentCell\n\
         textbox \"Zip Code:\" AdjacentCell\n\
         textbox \"Phone #:\" AdjacentCell\n\
         textbox \"Account #:\" AdjacentCell\n\
         textbox \"Verify Account #:\" AdjacentCell\n\
         textbox \"Amount: $\" AdjacentCell\n\
         combobox \"From account #:\" AdjacentCell\n",
    );
}

#[test]
fn bare_text_before_a_control_is_its_caption() {
    check_stored(
        "parabank_transfer",
        "link -\n\
         textbox \"Amount: $\" TextBefore\n\
         combobox \"From account #\" TextBefore\n\
         combobox \"to account #\" TextBefore\n",
    );
}

#[test]
fn captions_above_and_between_fields_are_told_apart() {
    check_stored(
        "parabank_find",
        "link -\n\
         combobox \"Select an account:\" TextBefore\n\
         textbox \"Find by Transaction ID:\" PrecedingBlock\n\
         textbox \"Find by Date:\" PrecedingBlock\n\
         textbox \"Between\" TextBefore\n\
         textbox \"and\" TextBefore\n\
         textbox \"Find by Amount:\" PrecedingBlock\n",
    );
}

const WEEK: &str = "  table
    row
      columnheader cell=0,0,1,1,header
      columnheader \"Mon\" cell=0,1,1,1,header
        text \"Mon\"
      columnheader \"Tue\" cell=0,2,1,1,header
        text \"Tue\"
      columnheader cell=0,3,1,1,header
    row
      cell \"Hours\" cell=1,0
        text \"Hours\"
      cell cell=1,1
        textbox = \"\"
      cell cell=1,2
        text \"8\"
      cell cell=1,3
        checkbox
";

#[test]
fn in_a_data_grid_the_column_header_is_the_caption_and_never_the_value_to_the_left() {
    // The last column has no header: no caption, although "8" stands to the left.
    check(WEEK, "textbox \"Mon\" ColumnHeader\ncheckbox -\n");
}

#[test]
fn a_first_row_of_plain_cells_heads_columns_of_fields() {
    let row = |r: u32, name: &str| {
        format!(
            "    row\n      cell cell={r},0\n        text \"{name}\"\n      cell cell={r},1\n        text \"1980\"\n      \
             cell cell={r},2\n        textbox\n"
        )
    };
    let head = "  table\n    row\n      cell cell=0,0\n        text \"Name\"\n      cell cell=0,1\n        text \"Born\"\n      \
                cell cell=0,2\n        text \"Share\"\n";
    check(
        &format!("{head}{}{}", row(1, "Ann Lee"), row(2, "Bob Ray")),
        "textbox \"Share\" ColumnHeader\ntextbox \"Share\" ColumnHeader\n",
    );
}

#[test]
fn a_number_in_the_cell_to_the_left_is_a_value_and_no_caption() {
    check(
        "  table
    row
      cell cell=0,0
        text \"12345\"
      cell cell=0,1
        textbox
",
        "textbox -\n",
    );
}

#[test]
fn a_title_over_a_form_is_not_the_header_of_its_fields() {
    check(
        "  table
    row
      columnheader \"Enter payee information\" cell=0,0,1,2,header
        text \"Enter payee information\"
    row
      cell cell=1,0
        text \"City\"
      cell cell=1,1
        textbox
",
        "textbox \"City\" AdjacentCell\n",
    );
}

#[test]
fn a_header_at_the_left_of_a_form_row_is_the_caption() {
    check(
        "  table
    row
      rowheader \"City\" cell=0,0,1,1,header
        text \"City\"
      cell cell=0,1
        textbox
    row
      rowheader \"State\" cell=1,0,1,1,header
        text \"State\"
      cell cell=1,1
        textbox
",
        "textbox \"City\" AdjacentCell\ntextbox \"State\" AdjacentCell\n",
    );
}

#[test]
fn spacer_cells_and_stars_between_caption_and_field_are_passed_over() {
    check(
        "  table
    row
      cell cell=0,0
        text \"City\"
      cell cell=0,1
        text \"*\"
      cell cell=0,2
      cell cell=0,3
        textbox
      cell cell=0,4
        textbox
",
        "textbox \"City\" AdjacentCell\ntextbox -\n",
    );
}

#[test]
fn captions_in_a_row_of_their_own_head_the_fields_below() {
    check(
        "  table
    row
      cell cell=0,0
        text \"First name\"
      cell cell=0,1
        text \"Last name\"
    row
      cell cell=1,0
        textbox
      cell cell=1,1
        textbox
",
        "textbox \"First name\" ColumnHeader\ntextbox \"Last name\" ColumnHeader\n",
    );
}

#[test]
fn a_currency_sign_in_the_cell_is_no_caption() {
    check(
        "  table
    row
      cell cell=0,0
        text \"Amount:\"
      cell cell=0,1
        text \"$\"
        textbox
",
        "textbox \"Amount:\" AdjacentCell\n",
    );
}

#[test]
fn toggles_are_named_by_the_text_after_them() {
    check(
        "  paragraph
    text \"Paperless? \"
    radio
    text \" Yes \"
    radio
    text \" No\"
  paragraph
    text \"Active\"
    checkbox
",
        "radio \"Yes\" TextAfter\nradio \"No\" TextAfter\ncheckbox \"Active\" TextBefore\n",
    );
}

#[test]
fn a_control_that_opens_a_line_of_its_own_still_stands_in_the_line_around_it() {
    // Inline blocks count lines of their own: side by side is judged by their boxes.
    check(
        "  form @0,0,400,100
    radio @10,10,13,13 block=50
    text \" Yes \" @25,10,30,15 block=49
    radio @60,10,13,13 block=51
    text \" No \" @75,10,30,15 block=49
    text \"Terms of use\" @10,40,90,15 block=48
",
        "radio \"Yes\" TextAfter\nradio \"No\" TextAfter\n",
    );
}

#[test]
fn headings_and_other_controls_end_the_search() {
    check(
        "  paragraph
    text \"Search\"
  heading \"Results\"
    text \"Results\"
  textbox
  paragraph
    text \"Country\"
  combobox
  textbox
  button \"Help\"
    text \"Help\"
  textbox
",
        "textbox -\ncombobox \"Country\" PrecedingBlock\ntextbox -\ntextbox -\n",
    );
}

#[test]
fn text_behind_another_field_belongs_to_that_field() {
    check(
        "  paragraph
    text \"Price \"
    textbox
    text \" USD\"
  paragraph
    textbox
",
        "textbox \"Price\" TextBefore\ntextbox -\n",
    );
}

#[test]
fn text_far_above_or_to_the_side_is_no_caption() {
    check(
        "  paragraph
    text \"Welcome back\" @0,0,100,15
  textbox @0,200,100,20 block=9
",
        "textbox -\n",
    );
    check(
        "  paragraph
    text \"News\" @0,100,40,15
  textbox @600,118,100,20 block=9
",
        "textbox -\n",
    );
    check(
        "  paragraph
    text \"Name\" @0,100,40,15
  textbox @0,118,100,20 block=9
",
        "textbox \"Name\" PrecedingBlock\n",
    );
}

#[test]
fn text_of_another_frame_is_no_caption() {
    check(
        "  paragraph
    text \"Outer\"
  frame <y>
    textbox
",
        "textbox -\n",
    );
}

#[test]
fn a_control_with_a_name_has_no_inferred_caption() {
    check("  paragraph\n    text \"Amount\"\n    textbox \"Sum\" labelled\n", "");
    let named = snapshot("window main <x>\n  text \"Amount\"\n  textbox \"Sum\" labelled\n");
    assert_eq!(caption(&named, waymark_snapshot::Ix(2)), None);
    assert_eq!(waymark_perception::label_of(&named, waymark_snapshot::Ix(2)), Some("Sum".to_owned()));
}
