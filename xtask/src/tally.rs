//! Numbers of passed and failed, read from what the runners print.

use std::ops::AddAssign;

/// How many passed and how many failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: u64,
    pub failed: u64,
}

impl Tally {
    /// One thing that either held or did not.
    pub fn of_one(holds: bool) -> Self {
        Self { passed: u64::from(holds), failed: u64::from(!holds) }
    }

    /// What a runner's output says, made honest by its exit code: a runner that failed counts at least one failure,
    /// and a skipped test is a failed one, because nobody would see it otherwise.
    pub fn of_runner(output: &str, succeeded: bool) -> Self {
        let mut sum = Self::default();
        // nextest repeats the output of failed tests, libtest's numbers included: its own numbers are the whole then.
        let summaries: Vec<Self> = output.lines().filter_map(of_nextest).collect();
        let others = output.lines().filter_map(|line| of_libtest(line).or_else(|| of_vitest(line)));
        if summaries.is_empty() {
            others.for_each(|tally| sum += tally);
        } else {
            summaries.into_iter().for_each(|tally| sum += tally);
        }
        if !succeeded && sum.failed == 0 {
            sum.failed = 1;
        }
        sum
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

/// `test result: ok. 3 passed; 0 failed; 1 ignored; …`
fn of_libtest(line: &str) -> Option<Tally> {
    let counts = line.trim().strip_prefix("test result: ")?.split_once(". ")?.1;
    Some(Tally {
        passed: count_of(counts, "passed", ';'),
        failed: count_of(counts, "failed", ';') + count_of(counts, "ignored", ';'),
    })
}

/// `     Summary [   0.010s] 3 tests run: 2 passed (1 leaky), 1 failed, 0 skipped`
fn of_nextest(line: &str) -> Option<Tally> {
    let rest = line.trim().strip_prefix("Summary [")?;
    let counts = rest.split_once("run: ")?.1;
    let bad = ["failed", "timed out", "exec failed", "skipped"];
    Some(Tally {
        passed: count_of(counts, "passed", ','),
        failed: bad.iter().map(|word| count_of(counts, word, ',')).sum(),
    })
}

/// `      Tests  1 failed | 3 passed (4)`
fn of_vitest(line: &str) -> Option<Tally> {
    let counts = line.trim().strip_prefix("Tests  ")?;
    let bad = ["failed", "skipped", "todo"];
    Some(Tally {
        passed: count_of(counts, "passed", '|'),
        failed: bad.iter().map(|word| count_of(counts, word, '|')).sum(),
    })
}

/// The number before exactly this word, among parts like `2 passed (1 leaky)`.
fn count_of(counts: &str, word: &str, separator: char) -> u64 {
    counts
        .split(separator)
        .map(|part| part.split('(').next().unwrap_or_default().trim())
        .filter_map(|part| part.split_once(' '))
        .filter(|(_, name)| *name == word)
        .filter_map(|(number, _)| number.parse::<u64>().ok())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::Tally;

    fn check(output: &str, succeeded: bool, passed: u64, failed: u64) {
        assert_eq!(Tally::of_runner(output, succeeded), Tally { passed, failed }, "{output}");
    }

    #[test]
    fn all_runners_are_read_and_summed() {
        check(
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
             test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            false,
            4,
            2,
        );
        check("     Summary [   0.010s] 3 tests run: 2 passed (1 leaky), 1 failed, 0 skipped", false, 2, 1);
        check("     Summary [  61.010s] 3/9 tests run: 1 passed, 1 timed out, 1 exec failed, 0 skipped", false, 1, 2);
        check("      Tests  1 failed | 3 passed (4)", false, 3, 1);
    }

    #[test]
    fn a_runner_that_fails_without_a_number_counts_as_one_failure() {
        check("error: could not compile `waymark`", false, 0, 1);
        check("     Summary [   0.010s] 2 tests run: 2 passed, 0 skipped", false, 2, 1);
    }

    #[test]
    fn the_repeated_output_of_a_failed_test_is_counted_once() {
        check(
            "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 8 filtered out; finished in 0.00s\n\
                  Summary [   0.010s] 9 tests run: 8 passed, 1 failed, 0 skipped",
            false,
            8,
            1,
        );
    }

    #[test]
    fn a_skipped_test_is_a_failed_one() {
        check("     Summary [   0.010s] 2 tests run: 2 passed, 4 skipped", true, 2, 4);
        check("test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out", true, 1, 1);
    }

    #[test]
    fn a_test_that_prints_such_words_is_not_counted() {
        check("he said: 7 passed, 8 failed", true, 0, 0);
    }
}
