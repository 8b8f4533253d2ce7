//! A script of somebody else in the pages, and what it reports.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use waymark_fixture_apps::{Guest, LATE_PATH, Options, REPORT_PATH, serve_meridian, serve_parabank};

use crate::Outcome;
use crate::client::Client;

#[derive(Debug, Default)]
struct Visitor {
    seen: Mutex<Vec<String>>,
}

impl Visitor {
    fn saw(&self, what: String) {
        if let Ok(mut seen) = self.seen.lock() {
            seen.push(what);
        }
    }
}

impl Guest for Visitor {
    fn script(&self, path: &str) -> Option<String> {
        self.saw(path.to_owned());
        Some("/* a guest */".to_owned())
    }

    fn told(&self, report: &[u8]) {
        self.saw(String::from_utf8_lossy(report).into_owned());
    }
}

#[tokio::test]
async fn a_guest_stands_at_the_end_of_each_body_and_is_told_what_its_scripts_report() -> Outcome {
    let (bank, console) = (serve_parabank(Options::default()).await?, serve_meridian(Options::default()).await?);
    let visitor = Arc::new(Visitor::default());
    let mut client = Client::new(&bank);
    assert!(!client.get("/parabank/index.htm").await?.body.contains("a guest"), "without one there is none");
    bank.host(visitor.clone());
    console.host(visitor.clone());

    let page = client.get("/parabank/index.htm").await?;
    assert!(page.body.contains("<script>/* a guest */</script></body>"), "{}", page.body);
    let reported = client.post(REPORT_PATH, "touched").await?;
    assert_eq!(reported.status, 204);
    let mut client = Client::new(&console);
    assert!(!client.get("/meridian/").await?.body.contains("a guest"), "a frameset has no body");
    assert!(client.get("/meridian/nav").await?.body.contains("a guest"));
    let seen = visitor.seen.lock().map(|seen| seen.clone()).unwrap_or_default();
    assert_eq!(seen, ["/parabank/index.htm", "touched", "/meridian/nav"]);

    let begun = Instant::now();
    assert_eq!(client.get(&format!("{LATE_PATH}?ms=60")).await?.status, 204);
    assert!(begun.elapsed() >= Duration::from_millis(60));
    assert_eq!(bank.log().requests().len(), 2, "neither reports nor what is late are requests of the application");
    Ok(())
}
