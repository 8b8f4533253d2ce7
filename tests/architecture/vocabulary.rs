//! Words that would tie a floor to one mechanism of seeing and acting.

use anyhow::{Result, ensure};
use waymark_tests::{none_of, sources, words};

const MECHANISMS: [&str; 9] = ["css", "xpath", "dom", "html", "selector", "cdp", "playwright", "uia", "puppeteer"];
const WEB: [&str; 4] = ["web", "browser", "chromium", "javascript"];

#[test]
fn the_artifact_and_its_schema_name_no_mechanism() -> Result<()> {
    check(&["crates/artifact/src/", "artifacts/schema/"], &MECHANISMS)
}

#[test]
fn the_snapshot_names_nothing_of_the_web() -> Result<()> {
    check(&["crates/snapshot/src/"], &[MECHANISMS.as_slice(), WEB.as_slice()].concat())
}

#[test]
fn a_mechanism_is_found_in_any_spelling_and_not_inside_other_words() -> Result<()> {
    for text in
        ["a CSS path", "cssPath", "css_path", "CSSPath", "\"dom\"", "use_DOM_here", "xpath_1", "XPath", "Html", "UIA"]
    {
        ensure!(forbidden(text, &MECHANISMS).len() == 1, "not found in {text:?}: {:?}", words(text));
    }
    ensure!(forbidden("let x = cssPath;", &MECHANISMS) == ["css"], "{:?}", forbidden("let x = cssPath;", &MECHANISMS));
    ensure!(
        forbidden("a random domain, a kingdom, uiaccess, acdpx", &MECHANISMS).is_empty(),
        "found inside other words"
    );
    Ok(())
}

fn check(folders: &[&str], list: &[&str]) -> Result<()> {
    let mut findings = Vec::new();
    let mut looked_at = 0;
    for source in sources()?.iter().filter(|source| folders.iter().any(|folder| source.path.starts_with(folder))) {
        looked_at += 1;
        for (at, line) in source.text.lines().enumerate() {
            for word in forbidden(line, list) {
                findings.push(format!("{}:{}: {word}", source.path, at + 1));
            }
        }
    }
    ensure!(looked_at > 0, "there is nothing at {folders:?}");
    none_of(findings, "say it without the mechanism:")
}

fn forbidden(text: &str, list: &[&str]) -> Vec<String> {
    words(text).into_iter().filter(|word| list.contains(&word.as_str())).collect()
}
