//! What the machine does with what happens: text in, text out.

mod answers;
mod anything;
mod dialogs;
mod effects;
mod endings;
mod filling;
mod flow;
mod handoff;
mod journals;
mod looking;
mod plans;
mod proving;
mod reading;
mod reconcile;
mod recoveries;
mod risky;
mod targets;

use expect_test::Expect;
use waymark_test_support::script::play;

/// Plays a script against a plan, twice: the same inputs give the same turns.
fn check(plan: &str, script: &str, expected: Expect) {
    let told = play(plan, script);
    assert_eq!(told, play(plan, script), "the same inputs gave other turns");
    expected.assert_eq(&told);
}
