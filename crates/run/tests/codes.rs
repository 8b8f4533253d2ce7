//! The table of codes agrees with itself and with what documents may say of it.

use waymark_artifact::MOVABLE_CODES;
use waymark_run::{CODES, Code};

#[test]
fn a_document_may_move_exactly_the_codes_that_the_table_lets_move() {
    let mut table: Vec<&str> = CODES.iter().filter(|row| row.movable).map(|row| row.code.as_str()).collect();
    let mut documents: Vec<&str> = MOVABLE_CODES.to_vec();
    table.sort_unstable();
    documents.sort_unstable();
    assert_eq!(table, documents);
}

#[test]
fn every_code_finds_its_own_row_and_reads_back() {
    for row in CODES {
        assert_eq!(row.code.row(), row);
        assert_eq!(Code::from_word(row.code.as_str()), Some(row.code));
    }
}
