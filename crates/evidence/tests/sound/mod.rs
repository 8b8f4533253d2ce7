//! What holds of every answer about a journal, whatever was given. The tests and the fuzz target ask the same.

use waymark_evidence::{read_journal, read_result};

/// As a journal, and as a stored result.
pub fn journal(bytes: &[u8]) {
    let read = read_journal(bytes);
    let whole = bytes.iter().filter(|b| **b == b'\n').count();
    assert!(read.lines.len() <= whole, "more lines than there are");
    for problem in &read.problems {
        assert!((1..=whole).contains(&problem.line), "{problem:?}");
        assert!(!problem.message.is_empty() && problem.message.len() < 300, "{problem:?}");
    }
    assert!(read.torn || !read.problems.is_empty() || read.lines.len() == whole, "a line is neither read nor told of");
    assert!(!(read.torn && read.ended), "torn off and ended");
    if let Err(why) = read_result(bytes) {
        assert!(why.contains("line ") && why.contains("column ") && why.len() < 300, "{why}");
    }
}
