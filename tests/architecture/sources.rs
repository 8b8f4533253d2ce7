//! Rules over the text of the repository.

use anyhow::{Result, ensure};
use waymark_tests::{Source, none_of, rust_sources, sources};

const RUST_CAP: usize = 800;
const UI_CAP: usize = 400;
const ENGINE: [&str; 7] = ["replay", "surface", "web", "targeting", "perception", "evidence", "session"];

#[test]
fn the_repository_reads_nothing_outside_itself() -> Result<()> {
    // Put together here, so that this file does not find itself.
    let foreign = [concat!("../", "shared"), concat!("/", "work/"), concat!("/", "root/")];
    let findings = sources()?
        .iter()
        .flat_map(|source| lines_with(source, |line| foreign.iter().any(|path| names_path(line, path))))
        .collect();
    none_of(findings, "copy in what is needed and name it by its place here:")?;
    ensure!(names_path(concat!("see /", "work/x"), foreign[1]), "a machine path is not found");
    ensure!(!names_path("https://example.test/at/work/x", foreign[1]), "an address is taken for a machine path");
    Ok(())
}

#[test]
fn no_lint_is_switched_off_and_no_test_is_skipped() -> Result<()> {
    let forbidden =
        [concat!("#[", "allow("), concat!("#![", "allow("), concat!(", ", "allow("), concat!("#[", "ignore")];
    let findings = rust_sources()?
        .iter()
        .flat_map(|source| lines_with(source, |line| forbidden.iter().any(|text| line.contains(text))))
        .collect();
    none_of(findings, "use `#[expect(…, reason = \"…\")]`, or fix the test:")
}

#[test]
fn the_engine_never_sleeps() -> Result<()> {
    let folders = ENGINE.map(|name| format!("crates/{name}/src/"));
    let sources = rust_sources()?;
    let engine: Vec<&Source> =
        sources.iter().filter(|source| folders.iter().any(|folder| source.path.starts_with(folder))).collect();
    // A test may play a slow page; the code that it tests may not be one.
    let engine: Vec<&Source> = engine
        .into_iter()
        .filter(|source| !source.path.contains("/tests/") && !source.path.ends_with("tests.rs"))
        .collect();
    ensure!(engine.len() >= ENGINE.len(), "only {} engine files", engine.len());
    let findings = engine
        .iter()
        .flat_map(|source| lines_with(source, |line| !line.trim_start().starts_with("//") && line.contains("sleep(")))
        .collect();
    none_of(findings, "wait for an event with a deadline:")
}

/// The calendar may be set back or forth at any time: it names runs for people, and decides nothing.
#[test]
fn the_calendar_is_asked_in_one_place_of_the_engine() -> Result<()> {
    let clocks = ["SystemTime", "now_utc", "now_local", "UNIX_EPOCH"];
    let (mut asked, mut findings) = (0, Vec::new());
    for source in rust_sources()?.iter().filter(|source| source.path.starts_with("crates/")) {
        let tests = source.path.contains("/tests/") || source.path.ends_with("tests.rs");
        if tests || source.path.starts_with("crates/fixture-apps/") {
            continue;
        }
        let lines = lines_with(source, |line| clocks.iter().any(|clock| line.contains(clock)));
        match source.path == "crates/session/src/clock.rs" {
            true => asked += lines.len(),
            false => findings.extend(lines),
        }
    }
    ensure!(asked == 1, "the clock of a run asks the calendar {asked} times");
    // A deadline in the page would be one by the calendar of the page.
    for source in
        sources()?.iter().filter(|source| source.path.starts_with("crates/web/") && source.path.ends_with(".js"))
    {
        findings.extend(lines_with(source, |line| line.contains("Date")));
    }
    none_of(findings, "measure with a clock that never jumps:")
}

#[test]
fn no_file_is_too_long() -> Result<()> {
    let mut findings = Vec::new();
    for source in sources()? {
        let generated = source.path.contains("/generated/");
        let cap = match source.path.rsplit('.').next() {
            Some("rs") if !generated => RUST_CAP,
            Some("ts" | "svelte" | "css" | "html") if source.path.starts_with("ui/") && !generated => UI_CAP,
            _ => continue,
        };
        let length = source.text.lines().count();
        if length > cap {
            findings.push(format!("{}: {length} lines, at most {cap}", source.path));
        }
    }
    none_of(findings, "split by what the parts are about:")
}

/// A fixture may name this machine, hosts that are reserved for examples, and namespaces that are names and no places.
#[test]
fn the_fixtures_name_no_real_host() -> Result<()> {
    let sources = sources()?;
    let fixtures: Vec<&Source> = sources
        .iter()
        .filter(|source| source.path.starts_with("fixtures/") || source.path.starts_with("crates/fixture-apps/"))
        .collect();
    ensure!(fixtures.len() > 100, "only {} fixture files", fixtures.len());
    let findings = fixtures
        .iter()
        .flat_map(|source| lines_with(source, |line| hosts(line).iter().any(|host| !is_fictional(host))))
        .collect();
    none_of(findings, "use the loopback address or a name under .test, .example or .invalid:")?;
    ensure!(
        hosts("see https://bank.example.com:8/x").iter().any(|host| !is_fictional(host)),
        "a real host is not found"
    );
    ensure!(hosts("mail ann@lee.org now").iter().any(|host| !is_fictional(host)), "a real address is not found");
    Ok(())
}

/// The hosts of the addresses in a line, of pages and of people.
fn hosts(line: &str) -> Vec<&str> {
    let name = |text: &'static str| move |letter: char| !(letter.is_alphanumeric() || text.contains(letter));
    let pages = line.split("://").skip(1).filter_map(|rest| rest.split(name("-._[]@")).next());
    let people = line.split('@').skip(1).filter_map(|rest| rest.split(name("-.")).next());
    let people = people.filter(|host| host.rsplit('.').next().is_some_and(|end| end.len() > 1 && host.contains('.')));
    pages.chain(people).map(|host| host.rsplit('@').next().unwrap_or(host)).collect()
}

fn is_fictional(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    ["", "localhost", "127.0.0.1", "www.w3.org", "example.com"].contains(&host)
        || [".test", ".example", ".invalid", ".localhost"].iter().any(|end| host.ends_with(end))
        || host.starts_with(['[', '{'])
        || !host.contains('.')
}

fn lines_with(source: &Source, finds: impl Fn(&str) -> bool) -> Vec<String> {
    let lines = source.text.lines().enumerate().filter(|(_, line)| finds(line));
    lines.map(|(at, line)| format!("{}:{}: {}", source.path, at + 1, line.trim())).collect()
}

/// Whether the path stands in the line as the beginning of a path, not in the middle of an address.
fn names_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|letter| !letter.is_alphanumeric() && !"-_.~/".contains(letter) || path.starts_with('.'))
    })
}
