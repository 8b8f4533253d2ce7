#![expect(clippy::unwrap_used, reason = "a trace that cannot be read is a broken test")]

use super::*;

/// A trace: `ms word arguments`; each `ms ?` line is answered with `ms settling reaction due`.
fn check(trace: &str, expected: &str) {
    let mut rule = Rule1::default();
    let mut out = Vec::new();
    for line in trace.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let at = Duration::from_millis(words[0].parse().unwrap());
        let event = match words[1..] {
            ["?"] => {
                let verdict = rule.verdict(at, |frame| frame != "other" && frame != "above", |frame| frame == "above");
                let due = verdict.due.map_or("-".into(), |due| due.as_millis().to_string());
                out.push(format!("{} {:?} {:?} {due}", words[0], verdict.settling, verdict.reaction));
                continue;
            }
            ["answered?"] => {
                out.push(rule.verdict(at, |frame| frame != "other", |_| false).answered.to_string());
                continue;
            }
            ["act"] => Event::Act,
            ["ack"] => Event::Acknowledged,
            ["navigates", frame] => Event::NavigationStarted { frame },
            ["commits", frame, document] => Event::Committed { frame, document },
            ["readable", frame] => Event::Readable { frame },
            ["navigated", frame] => Event::NavigationEnded { frame },
            ["gone", frame] => Event::FrameGone { frame },
            ["asks", id, frame, key] => Event::RequestStarted { id, frame, document: "d1", key },
            ["answer", id] => Event::Answered { id },
            ["ends", id] => Event::RequestEnded { id },
            ["changed", frame] => Event::Changed { frame },
            _ => panic!("{line}"),
        };
        rule.note(at, event);
    }
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(out, expected);
}

#[test]
fn an_act_without_any_reaction_is_at_rest_after_the_long_window() {
    check("0 act\n10 ack\n359 ?\n360 ?", "359 Changing None 360\n360 Settled None 360");
}

#[test]
fn a_visible_change_shortens_the_window() {
    check("0 act\n10 ack\n100 changed f\n149 ?\n150 ?", "149 Changing Content 150\n150 Settled Content 150");
}

#[test]
fn the_echo_of_the_input_keeps_the_long_window() {
    check("0 act\n10 ack\n25 changed f\n100 ?\n375 ?", "100 Changing Content 375\n375 Settled Content 375");
}

#[test]
fn an_open_request_is_never_excused_for_being_slow() {
    check("0 act\n10 ack\n20 asks 1 f GET/a\n60000 ?", "60000 Requesting Request -");
}

#[test]
fn a_request_of_the_new_document_counts_though_the_earlier_one_waited_for_the_same() {
    check(
        "0 asks 1 f GET/a\n5 act\n10 ack\n20 navigates f\n40 commits f d2\n50 asks 2 f GET/a\n60 navigated f\n900 ?\n
         1000 answer 2\n1005 ends 2\n1010 changed f\n1060 ?",
        "900 Requesting Content -\n1060 Settled Content 1060",
    );
}

#[test]
fn a_request_that_showed_nothing_keeps_the_long_window() {
    check(
        "0 act\n10 ack\n20 asks 1 f GET/a\n100 ends 1\n449 ?\n450 ?",
        "449 Changing Request 450\n450 Settled Request 450",
    );
}

#[test]
fn a_request_whose_answer_was_shown_needs_the_short_window_only() {
    check(
        "0 act\n10 ack\n20 asks 1 f GET/a\n95 answer 1\n98 changed f\n100 ends 1\n149 ?\n150 ?",
        "149 Changing Content 150\n150 Settled Content 150",
    );
}

#[test]
fn what_changed_before_the_answer_is_not_the_answer() {
    check(
        "0 act\n10 ack\n20 asks 1 f GET/a\n50 changed f\n95 answer 1\n100 ends 1\n200 ?\n300 changed f\n350 ?",
        "200 Changing Content 450\n350 Settled Content 350",
    );
}

#[test]
fn chained_requests_are_waited_for_one_after_the_other() {
    check(
        "0 act\n10 ack\n20 asks 1 f GET/a\n60 ends 1\n300 asks 2 f GET/b\n400 ?\n500 ends 2\n510 changed f\n560 ?",
        "400 Requesting Request -\n560 Settled Content 560",
    );
}

#[test]
fn a_navigation_is_waited_for_until_its_document_can_be_read() {
    check(
        "0 act\n10 ack\n15 navigates f\n80 commits f d2\n90 ?\n95 navigated f\n144 ?\n145 ?",
        "90 Navigating Content -\n144 Changing Content 145\n145 Settled Content 145",
    );
}

#[test]
fn the_document_request_of_a_finished_navigation_needs_the_short_window_only() {
    check(
        "0 act\n10 ack\n15 navigates f\n16 asks 1 f GET/a\n70 answer 1\n80 commits f d1\n90 ends 1\n95 navigated f\n145 ?",
        "145 Settled Content 145",
    );
}

#[test]
fn frames_that_are_not_watched_do_not_hold_anything_up() {
    check("0 act\n10 ack\n20 asks 1 other GET/a\n20 navigates other\n300 changed other\n360 ?", "360 Settled None 360");
}

#[test]
fn a_request_open_before_the_act_is_excepted_with_all_of_its_kind() {
    check("0 asks 1 f GET/poll\n100 act\n110 ack\n200 ends 1\n200 asks 2 f GET/poll\n460 ?", "460 Settled None 460");
}

#[test]
fn a_request_that_repeats_by_itself_is_excepted() {
    check(
        "0 act\n200 asks 1 f GET/p\n210 ends 1\n400 asks 2 f GET/p\n410 ends 2\n600 asks 3 f GET/p\n610 ends 3
         700 act\n710 ack\n800 asks 4 f GET/p\n1060 ?",
        "1060 Settled None 1060",
    );
}

#[test]
fn a_request_that_every_act_sets_off_once_is_not_excepted() {
    check(
        "0 act\n10 asks 1 f GET/s\n20 ends 1\n1000 act\n1010 asks 2 f GET/s\n1020 ends 2\n2000 act\n2010 asks 3 f GET/s\n2020 ends 3
         3000 act\n3005 ack\n3010 asks 4 f GET/s\n3500 ?",
        "3500 Requesting Request -",
    );
}

#[test]
fn a_chain_of_pages_that_has_ended_is_not_taken_for_polling() {
    check(
        "0 act\n10 asks 1 f GET/l\n20 ends 1\n60 asks 2 f GET/l\n70 ends 2\n110 asks 3 f GET/l\n120 ends 3
         1000 act\n1005 ack\n1010 asks 4 f GET/l\n1500 ?",
        "1500 Requesting Request -",
    );
}

#[test]
fn requests_of_a_document_that_was_left_do_not_count() {
    check(
        "0 act\n10 ack\n20 asks 1 f GET/a\n30 navigates f\n40 commits f d2\n50 navigated f\n100 ?",
        "100 Settled Content 100",
    );
}

#[test]
fn a_frame_that_went_away_takes_its_navigation_along() {
    check("0 act\n10 ack\n20 navigates f\n30 gone f\n360 ?", "360 Settled None 360");
}

#[test]
fn a_navigation_around_the_watched_frame_is_waited_for() {
    check("0 act\n10 ack\n20 navigates above\n30 changed above\n400 ?", "400 Navigating Content -");
}

#[test]
fn answers_to_requests_of_the_act_are_counted_across_a_navigation() {
    check(
        "0 asks 1 f GET/old\n5 act\n6 answer 1\n7 ack\n10 asks 2 f POST/a\n20 answer 2\n25 ends 2\n26 asks 3 other GET/b\n27 answer 3
         30 commits f d2\n40 answered?",
        "1",
    );
}

#[test]
fn the_document_that_is_left_does_not_end_the_navigation() {
    check(
        "0 act\n10 ack\n15 navigates f\n20 readable f\n400 ?\n500 commits f d2\n510 readable f\n560 ?",
        "400 Navigating Content -\n560 Settled Content 560",
    );
}

#[test]
fn a_navigation_that_came_to_nothing_is_over() {
    check("0 act\n10 ack\n15 navigates f\n20 navigated f\n70 ?", "70 Settled Content 70");
}

#[test]
fn a_request_open_before_the_act_is_waited_for_before_anything_is_denied() {
    check(
        "0 asks 1 f GET/accounts\n5 act\n10 ack\n900 ?\n1000 answer 1\n1005 ends 1\n1010 ?\n1012 changed f\n1062 ?",
        "900 Waiting None 360\n1010 Changing None 1355\n1062 Settled Content 1062",
    );
}
