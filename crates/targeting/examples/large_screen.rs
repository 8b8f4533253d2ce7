//! How long finding and checking take on large screens: `cargo run --release -p waymark-targeting --example large_screen`.
#![expect(clippy::disallowed_methods, reason = "what is measured here is time")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Instant;

use waymark_artifact::{Bindings, Condition, Target};
use waymark_perception::{Facts, captions, fingerprint, holds};
use waymark_snapshot::{Ix, parse};
use waymark_targeting::{Hints, resolve};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (name, text) in
        [("one table", one_table()), ("many tables", many_tables()), ("one line", one_line()), ("nested", nested())]
    {
        let snapshot = parse(&text)?;
        println!("{name}: {} nodes", snapshot.nodes().len());
        for (what, find) in [
            ("role_name", r#"{"rung":"role_name","role":"button","name":"Commit"}"#),
            ("normalized", r#"{"rung":"role_name_normalized","role":"link","name":"COMMIT"}"#),
            ("label", r#"{"rung":"label","role":"textbox","label":"Last"}"#),
            (
                "cell",
                r#"{"rung":"anchor","role":"textbox","relation":{"relation":"cell","keys":[{"column":"Name","equals":"row 900"}],"header":"Value"}}"#,
            ),
            (
                "row",
                r#"{"rung":"anchor","role":"textbox","relation":{"relation":"row","keys":[{"equals":"row 900"}]}}"#,
            ),
            ("column", r#"{"rung":"anchor","role":"button","relation":{"relation":"column","header":"Value"}}"#),
            (
                "adjacent",
                r#"{"rung":"anchor","role":"textbox","relation":{"relation":"adjacent","text":"Last","side":"before"}}"#,
            ),
        ] {
            let target: Target = serde_json::from_str(&format!(
                r#"{{"description":"it","candidates":[{{"find":{find}}}],"fingerprint":{{"role":"button","name":"Commit"}}}}"#
            ))?;
            timed(what, || resolve(&target, &snapshot, &Hints::new(), &Bindings::default()).is_ok());
        }
        let condition: Condition =
            serde_json::from_str(r#"{"kind":"text_present","match":{"text":"nowhere to be seen"}}"#)?;
        let outputs = BTreeSet::new();
        let facts = Facts { dialog: None, windows: &[], outputs: &outputs, screen_id: None };
        timed("text_present", || holds(&condition, &snapshot, &facts, &Bindings::default()).is_ok());
        let ten = Condition::All { of: vec![condition; 10] };
        timed("text_present x 10", || holds(&ten, &snapshot, &facts, &Bindings::default()).is_ok());
        timed("every caption", || !captions(&snapshot).is_empty());
        let last = Ix(u32::try_from(snapshot.nodes().len() - 2)?);
        timed("one fingerprint", || fingerprint(&snapshot, last).name.is_empty());
    }
    Ok(())
}

fn timed(what: &str, mut task: impl FnMut() -> bool) {
    let start = Instant::now();
    let answer = task();
    println!("  {what:18} {:9.3} ms  {answer}", start.elapsed().as_secs_f64() * 1000.0);
}

fn one_table() -> String {
    let mut out = String::from("window main <x>\n  table\n    row\n");
    for (col, name) in ["Name", "Note", "Value"].iter().enumerate() {
        let _ = writeln!(out, "      columnheader cell=0,{col},1,1,header\n        text \"{name}\"");
    }
    for row in 1..1430 {
        let _ = writeln!(
            out,
            "    row\n      cell cell={row},0\n        text \"row {row}\"\n      cell cell={row},1\n        text \"note of some length {row}\"\n      \
             cell cell={row},2\n        textbox = \"\""
        );
    }
    out.push_str("  text \"Last\"\n  textbox\n  button \"Commit\"\n");
    out
}

fn many_tables() -> String {
    let mut out = String::from("window main <x>\n");
    for at in 0..1000 {
        let _ = writeln!(
            out,
            "  table\n    row\n      cell cell=0,0\n        text \"Key {at}\"\n      cell cell=0,1\n        textbox\n      \
             cell cell=0,2\n        generic\n          text \"unit\""
        );
    }
    out.push_str("  text \"Last\"\n  textbox\n  button \"Commit\"\n");
    out
}

fn one_line() -> String {
    let mut out = String::from("window main <x>\n  paragraph\n");
    for at in 0..5000 {
        let _ = writeln!(out, "    text \"word {at} \"\n    img");
    }
    out.push_str("    textbox\n  text \"Last\"\n  textbox\n  button \"Commit\"\n");
    out
}

fn nested() -> String {
    let mut out = String::from("window main <x>\n");
    for depth in 0..100 {
        let pad = "  ".repeat(depth * 3 + 1);
        let _ = writeln!(out, "{pad}table\n{pad}  row\n{pad}    cell cell=0,0");
    }
    let pad = "  ".repeat(301);
    for at in 0..4800 {
        let _ = writeln!(out, "{pad}text \"word {at}\" block={at}\n{pad}textbox");
    }
    out.push_str("  text \"Last\"\n  textbox\n  button \"Commit\"\n");
    out
}
