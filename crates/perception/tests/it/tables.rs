//! Tables as rows and columns.
use waymark_artifact::TableRef;
use waymark_perception::{HeaderMiss, grid, tables};
use waymark_snapshot::{Ix, ScopeId, UiSnapshot};

use crate::read::{given, json, snapshot, stored};

/// The first table: headers over the columns, then the data rows.
fn table(snapshot: &UiSnapshot) -> String {
    let ix = snapshot.iter().find(|(_, n)| n.role.is_table()).map_or(Ix(0), |(ix, _)| ix);
    let grid = grid(snapshot, ix);
    let line = |cells: Vec<Option<String>>| {
        cells.into_iter().map(|c| c.unwrap_or_else(|| "·".into())).collect::<Vec<_>>().join(" | ") + "\n"
    };
    let mut out = line((0..grid.columns()).map(|c| grid.header_over(c)).collect());
    for row in grid.data_rows() {
        out.push_str(&line((0..grid.columns()).map(|c| grid.text(row, c)).collect()));
    }
    out
}

/// Rows of cells in short: `^` a header, `<` a header at the left; `x2` columns, `y2` rows covered.
fn make(rows: &[&[&str]], places: &[&[(u32, u32)]]) -> String {
    let mut out = String::from("window main <x>\n  table\n");
    for (row, (cells, cols)) in rows.iter().zip(places).enumerate() {
        out.push_str("    row\n");
        for (text, (col, span)) in cells.iter().zip(*cols) {
            let (role, header, text) = match text.chars().next() {
                Some('^') => ("columnheader", ",header", &text[1..]),
                Some('<') => ("rowheader", ",header", &text[1..]),
                _ => ("cell", "", *text),
            };
            let (text, down) = text.strip_suffix(" y2").map_or((text, 1), |t| (t, 2));
            out.push_str(&format!("      {role} cell={row},{col},{down},{span}{header}\n"));
            if !text.is_empty() {
                out.push_str(&format!("        text {text:?}\n"));
            }
        }
    }
    out
}

fn check(rows: &[&[&str]], places: &[&[(u32, u32)]], expected: &str) {
    assert_eq!(table(&snapshot(&make(rows, places))), expected);
}

const TWO: &[(u32, u32)] = &[(0, 1), (1, 1)];
const THREE: &[(u32, u32)] = &[(0, 1), (1, 1), (2, 1)];

#[test]
fn grouped_headers_head_the_columns_below_them_and_hidden_columns_take_no_place() {
    check(
        &[&["^Date y2", "^Amount"], &["^In", "^Out"], &["1 Nov", "5.00", ""], &["2 Nov", "", "3.00"]],
        &[&[(0, 1), (1, 2)], &[(1, 1), (2, 1)], THREE, THREE],
        "Date | In | Out\n1 Nov | 5.00 | \n2 Nov |  | 3.00\n",
    );
}

#[test]
fn a_header_over_several_columns_is_ambiguous_and_an_absent_one_is_absent() {
    let text = make(
        &[&["^Date y2", "^Amount", "^Amount"], &["^In", "^Out", "^In"], &["a", "b", "c", "d"]],
        &[&[(0, 1), (1, 2), (3, 1)], &[(1, 1), (2, 1), (3, 1)], &[(0, 1), (1, 1), (2, 1), (3, 1)]],
    );
    let snapshot = snapshot(&text);
    let grid = grid(&snapshot, Ix(1));
    assert_eq!(grid.column("Out"), Ok(2));
    assert_eq!(grid.column(" Out\n"), Ok(2));
    assert_eq!(grid.column("Date"), Ok(0));
    assert_eq!(grid.column("In"), Err(HeaderMiss::Ambiguous(2)));
    assert_eq!(grid.column("Amount"), Err(HeaderMiss::Ambiguous(3)));
    assert_eq!(grid.column("OUT"), Err(HeaderMiss::Absent));
    assert_eq!(grid.column(""), Err(HeaderMiss::Absent));
}

#[test]
fn without_declared_headers_the_first_row_heads() {
    check(&[&["Name", "Born"], &["Ann", "1980"]], &[TWO, TWO], "Name | Born\nAnn | 1980\n");
}

#[test]
fn a_first_row_of_fields_buttons_or_captions_is_no_header() {
    let page = |first: &str| {
        format!(
            "window main <x>\n  table\n    row\n      cell cell=0,0\n        {first}\n          text \"Ann\"\n    row\n      \
             cell cell=1,0\n        link \"Open\"\n          text \"Open\"\n"
        )
    };
    assert_eq!(table(&snapshot(&page("button"))), "·\nAnn\nOpen\n");
    assert_eq!(table(&snapshot(&page("link \"Open\""))), "·\nAnn\nOpen\n");
    // Headers that sort are links of other names.
    assert_eq!(table(&snapshot(&page("link \"Name\""))), "Ann\nOpen\n");
    assert!(table(&stored("parabank_activity")).starts_with("· | ·\nAccount Number: | 12345\n"));
}

#[test]
fn headers_at_the_left_head_rows() {
    check(
        &[&["", "^Mon", "^Tue"], &["<Hours", "8", "7"], &["<Travel", "1", ""]],
        &[THREE, THREE, THREE],
        "· | Mon | Tue\nHours | 8 | 7\nTravel | 1 | \n",
    );
    check(&[&["<City", "Bern"], &["<State", "BE"]], &[TWO, TWO], "· | ·\nCity | Bern\nState | BE\n");
}

#[test]
fn titles_repeated_headers_and_feet_are_neither_headers_nor_data() {
    check(
        &[
            &["^Statement"],
            &["^Date", "^Sum"],
            &["1 Nov", "5"],
            &["^Date", "^Sum"],
            &["2 Nov", "6"],
            &["^Total", "^11"],
        ],
        &[&[(0, 2)], TWO, TWO, TWO, TWO, TWO],
        "Date | Sum\n1 Nov | 5\n2 Nov | 6\n",
    );
}

#[test]
fn what_stands_above_the_headers_is_no_data() {
    check(&[&["Page 1 of 3"], &["^Date", "^Sum"], &["1 Nov", "5"]], &[&[(0, 2)], TWO, TWO], "Date | Sum\n1 Nov | 5\n");
}

#[test]
fn a_table_with_headers_and_no_rows_has_no_data() {
    check(&[&["^Date y2", "^Amount"], &["^In", "^Out"]], &[&[(0, 1), (1, 2)], &[(1, 1), (2, 1)]], "Date | In | Out\n");
    assert_eq!(
        table(&stored("parabank_overview_early")),
        "Account | Balance* | Available Amount\n*Balance includes deposits that may be subject to holds \
         | *Balance includes deposits that may be subject to holds \
         | *Balance includes deposits that may be subject to holds\n"
    );
}

#[test]
fn a_span_covers_every_place_it_reaches_and_none_beyond_the_table() {
    check(
        &[&["^Host", "^Port"], &["alpha y2", "80"], &["443"], &["No more"]],
        &[TWO, TWO, &[(1, 1)], &[(0, 900)]],
        "Host | Port\nalpha | 80\nalpha | 443\nNo more | No more\n",
    );
}

#[test]
fn the_rows_of_a_stored_page_are_read_as_shown() {
    let text = table(&stored("parabank_overview"));
    assert!(text.starts_with("Account | Balance* | Available Amount\n12345 | -$2300.00 | $0.00\n"), "{text}");
    assert_eq!(text.lines().count(), 14, "{text}");
}

fn check_tables(body: &str, wanted: &str, expected: &[u32]) {
    let wanted: TableRef = json(wanted);
    let found = tables(&snapshot(body), ScopeId(0), Some(&wanted), &given(&[]));
    assert_eq!(found, Ok(expected.iter().copied().map(Ix).collect()));
}

#[test]
fn tables_are_known_by_name_caption_heading_or_headers() {
    let body = "window main <x>
  heading \"Loans\"
    text \"Loans\"
  table
    row
      columnheader cell=0,0,1,1,header
        text \"No\"
  table \"Cards\"
    caption
      text \"Cards held\"
    row
      columnheader cell=0,0,1,1,header
        text \"No\"
      columnheader cell=0,1,1,1,header
        text \"Limit\"
";
    check_tables(body, r#"{"headers":["No"]}"#, &[3, 7]);
    check_tables(body, r#"{"headers":["Limit","No"]}"#, &[7]);
    check_tables(body, r#"{"name":"Cards"}"#, &[7]);
    check_tables(body, r#"{"name":"Cards held"}"#, &[7]);
    check_tables(body, r#"{"name":"Loans","headers":["Limit"]}"#, &[7]);
    check_tables(body, r#"{"name":"Deposits"}"#, &[]);
}

#[test]
fn a_table_within_a_layout_cell_is_a_table_of_its_own() {
    let text = "window main <x>
  table
    row
      cell cell=0,0
        text \"menu\"
      cell cell=0,1
        table
          row
            columnheader cell=0,0,1,1,header
              text \"No\"
          row
            cell cell=1,0
              text \"7\"
";
    check_tables(text, r#"{"headers":["No"]}"#, &[6]);
    let snapshot = snapshot(text);
    assert_eq!(grid(&snapshot, Ix(6)).data_rows().collect::<Vec<_>>(), [1]);
    assert_eq!(grid(&snapshot, Ix(1)).columns(), 2);
}
