//! Pages that are too large or written to mislead: a look ends in time, and what it leaves out is marked.

use std::time::{Duration, Instant};

use waymark_snapshot::{Role, WindowKey, print};
use waymark_surface::{Act, Driver as _, Observation, Settling, Until};

use super::{SOON, Tab, both, find, text};

/// How long the largest of these pages may take to be seen, on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(150);
/// What one look at them may take.
const DEADLINE: Duration = Duration::from_secs(30);
/// How far a look may exceed its deadline: an unoptimized build reads a snapshot of many megabytes slowly.
const GRACE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 15 } else { 2 });
const MARK: &str = "…[cut]";

/// Opens a page and looks until it can be read; no look takes longer than its deadline and the grace.
async fn readable(tab: &mut Tab, body: String) -> Observation {
    tab.server.answer("/page", crate::common::Answer::Page(body));
    let end = Instant::now() + PATIENCE;
    let open = Act::Open { window: WindowKey::main(), location: tab.server.url("/page") };
    tab.driver.core.perform(&open, DEADLINE).await;
    let mut until = Until::Now;
    loop {
        let began = Instant::now();
        let seen = tab.see(until, DEADLINE).await.unwrap();
        assert!(began.elapsed() < DEADLINE + GRACE, "no answer in time: {:?}", began.elapsed());
        if seen.snapshot.scopes().iter().all(|scope| scope.readable) && seen.settling == Settling::Settled {
            return seen;
        }
        assert!(Instant::now() < end, "it never came to rest: {:?}", seen.settling);
        until = Until::Change { after: seen.number };
    }
}

/// Resident memory of this process, in megabytes.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

both! {
    a_page_of_a_hundred_thousand_elements_is_seen_whole(tab) {
        let before = memory();
        let rows: String = (0..25_000).map(|at| format!("<tr><td>A{at}<td><a href=/{at}>B{at}</a>")).collect();
        let seen = readable(tab, format!("<table>{rows}</table>")).await;
        let links = seen.snapshot.nodes().iter().filter(|node| node.role == Role::Link).count();
        assert_eq!(links, 25_000);
        assert_eq!(seen.snapshot.nodes().iter().filter_map(|node| node.cell).map(|cell| cell.row).max(), Some(24_999));
        // Other tests may be running beside this one.
        assert!(memory() < before + 800, "{} MB more", memory() - before);
    }

    a_text_of_twenty_megabytes_is_cut_and_says_so(tab) {
        let before = memory();
        // One node each; what is not laid out costs the browser little and is read for names all the same.
        let page = "<title>Log</title><h1>Log</h1><p id=big hidden></p><button aria-labelledby=big>Go</button><p>End</p>\
            <script>big.textContent = document.title = 'word '.repeat(4 << 20)</script>";
        let seen = readable(tab, page.to_owned()).await;
        let button = seen.snapshot.nodes().iter().find(|node| node.role == Role::Button).unwrap();
        assert!(button.name.ends_with(MARK) && button.name.len() < 1100, "{} bytes", button.name.len());
        assert!(seen.snapshot.scopes()[0].title.ends_with(MARK));
        let printed = print(&seen.snapshot);
        assert!(printed.len() < 50_000, "{} bytes", printed.len());
        assert!(text(&seen).ends_with("End"));
        assert!(memory() < before + 800, "{} MB more", memory() - before);
    }

    a_visible_text_of_twenty_megabytes_never_holds_a_look_beyond_its_deadline(tab) {
        let before = memory();
        let body = format!("<h1>Log</h1><pre>{}</pre><p>End</p>", "0123456789abcde\n".repeat(20 << 16));
        tab.server.answer("/page", crate::common::Answer::Page(body));
        let open = Act::Open { window: WindowKey::main(), location: tab.server.url("/page") };
        tab.driver.core.perform(&open, SOON).await;
        // Laying it out may keep the page busy for long: then the look says so.
        for _ in 0..3 {
            let began = Instant::now();
            let seen = tab.see(Until::Now, SOON).await.unwrap();
            assert!(began.elapsed() < SOON + Duration::from_secs(2), "{:?}", began.elapsed());
            let readable = seen.snapshot.scopes()[0].readable;
            assert!(readable || matches!(seen.settling, Settling::Unreadable | Settling::Navigating), "{:?}", seen.settling);
            let longest = seen.snapshot.nodes().iter().map(|node| node.name.len()).max().unwrap_or_default();
            assert!(longest < 10_100, "{longest}");
        }
        assert!(memory() < before + 800, "{} MB more", memory() - before);
        let began = Instant::now();
        tab.driver.close().await;
        assert!(began.elapsed() < SOON + Duration::from_secs(2));
    }

    attributes_of_a_megabyte_are_cut_and_say_so(tab) {
        let long = "x".repeat(1 << 20);
        let page = format!(
            "<p title='{long}' class='{long}' data-x='{long}'>Text</p><a href='/{long}' aria-label='{long}'>A</a>\
             <input placeholder='{long}' value='{long}' id='{long}' name='{long}'><img alt='{long}' width=9 height=9>\
             <select aria-label=List><option value='{long}' label='{long}'></select><button aria-describedby='{long}' title='{long}'>Go</button>\
             <iframe name='{long}' title='{long}' src='/inner?{long}'></iframe><td colspan='{long}'>"
        );
        tab.server.answer("/inner", crate::common::Answer::Page("<p>Inside</p>".into()));
        let seen = readable(tab, page).await;
        let most = |node: &waymark_snapshot::Node| {
            let detail = &node.detail;
            let options = detail.options.iter().map(|option| option.text.len());
            let texts = [Some(&node.name), node.value.as_ref(), detail.description.as_ref(), detail.placeholder.as_ref(), detail.location.as_ref()];
            texts.into_iter().flatten().map(String::len).chain(options).max().unwrap_or_default()
        };
        let longest = seen.snapshot.nodes().iter().map(most).max().unwrap();
        assert!(longest < 10_100, "{longest}");
        let link = seen.snapshot.nodes().iter().find(|node| node.role == Role::Link).unwrap();
        assert!(link.name.ends_with(MARK) && link.name.len() < 1100);
        let field = seen.snapshot.nodes().iter().find(|node| node.role == Role::TextBox).unwrap();
        assert!(field.value.as_ref().unwrap().ends_with(MARK));
        find(&seen, &Role::Button, "Go");
    }

    text_from_right_to_left_and_without_width_is_kept_as_it_is(tab) {
        let turned = "\u{202e}drawkcab\u{202c}";
        let hidden = "pay\u{200b}ment\u{2060}";
        let page = format!(
            "<meta charset=utf-8><p dir=rtl>\u{5e9}\u{5dc}\u{5d5}\u{5dd}</p><p>{turned}</p><button>{hidden}</button><p>\u{200b}\u{200b}</p>\
             <p>\u{2066}{turned}\u{2069}</p><p>{}</p><p>End</p>",
            "\u{200d}\u{301}".repeat(200_000)
        );
        let seen = readable(tab, page).await;
        let lines = text(&seen);
        for wanted in ["\u{5e9}\u{5dc}\u{5d5}\u{5dd}", turned, "End"] {
            assert!(lines.lines().any(|line| line == wanted), "{wanted:?} in {lines:.300?}");
        }
        assert!(lines.lines().all(|line| !line.chars().all(|c| c == '\u{200b}')), "what has no width is not seen");
        // The name is what the page says: a caller that compares it sees that it is not the plain word.
        let button = seen.snapshot.nodes().iter().find(|node| node.role == Role::Button).unwrap();
        assert_eq!(button.name, hidden);
        assert!(print(&seen.snapshot).len() < 100_000);
    }

    elements_that_lie_ten_thousand_deep_are_seen(tab) {
        let seen = readable(tab, format!("{}<button>Deep</button>", "<div>".repeat(10_000))).await;
        find(&seen, &Role::Button, "Deep");
    }
}
