//! Windows and frames.
use waymark_artifact::{FrameRef, Place};
use waymark_perception::{frame_path, place};

use crate::read::{given, json, snapshot};

const SESSION: &str = "window main <http://a.test/index.htm>
  frame \"Navigation\" name=\"nav\" <http://a.test/nav.htm>
    button \"Go\"
  frame name=\"work\" index=1 <http://a.test/work.htm;jsessionid=7?id=3> title=\"Loans\"
    frame \"Box\" name=\"box\" <http://a.test/b1>
    frame \"Box\" name=\"box\" index=1 <http://a.test/b2>
  frame name=\"stuck\" index=2 <http://a.test/stuck.htm> unreadable
window lookup <http://a.test/pop.htm>
";

fn check(wanted: &str, expected: &str) {
    let snapshot = snapshot(SESSION);
    let wanted: Place = json(wanted);
    let answer = match place(&snapshot, wanted.window.as_ref(), &wanted.frame, &given(&[("frame", "work")])) {
        Ok(scope) => snapshot.scope(scope).location.clone(),
        Err(miss) => format!("error: {miss}"),
    };
    assert_eq!(answer, expected);
}

#[test]
fn without_frames_the_window_itself_is_meant() {
    check("{}", "http://a.test/index.htm");
    check(r#"{"window":"lookup"}"#, "http://a.test/pop.htm");
    check(r#"{"window":"other"}"#, "error: the window `other` is not open");
}

#[test]
fn frames_are_known_by_name_title_or_location() {
    check(r#"{"frame":[{"name":"nav"}]}"#, "http://a.test/nav.htm");
    check(r#"{"frame":[{"title":"Navigation"}]}"#, "http://a.test/nav.htm");
    check(r#"{"frame":[{"title":" Loans "}]}"#, "http://a.test/work.htm;jsessionid=7?id=3");
    check(r#"{"frame":[{"location":"http://a.test/work.htm"}]}"#, "http://a.test/work.htm;jsessionid=7?id=3");
    check(r#"{"frame":[{"name":"{param.frame}"}]}"#, "http://a.test/work.htm;jsessionid=7?id=3");
    check(
        r#"{"frame":[{"name":"work","location":"http://a.test/nav.htm"}]}"#,
        "error: no frame fits `work http://a.test/nav.htm`",
    );
    check(r#"{"frame":[{"name":"nav"},{"name":"box"}]}"#, "error: no frame fits `box`");
    check(r#"{"frame":[{"name":"{param.nothing}"}]}"#, "error: the parameter `nothing` has no value in this run");
}

#[test]
fn two_frames_that_fit_are_ambiguous() {
    check(r#"{"frame":[{"name":"work"},{"name":"box"}]}"#, "error: 2 frames fit `box`");
    check(r#"{"frame":[{"name":"work"},{"name":"box","location":"http://a.test/b2"}]}"#, "http://a.test/b2");
}

#[test]
fn a_frame_that_hangs_is_there_and_cannot_be_read() {
    check(r#"{"frame":[{"name":"stuck"}]}"#, "error: the frame `stuck` cannot be read");
    check(r#"{"frame":[{"name":"stuck"},{"name":"in"}]}"#, "error: no frame fits `in`");
}

#[test]
fn the_driver_is_told_names_else_titles() {
    let path: Vec<FrameRef> = json(r#"[{"name":"{param.frame}","title":"t"},{"title":"T"},{"location":"l"}]"#);
    assert_eq!(frame_path(&path, &given(&[("frame", "work")])), Ok(vec!["work".into(), "T".into(), "*".into()]));
}
