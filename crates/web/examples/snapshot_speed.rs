//! How long a look takes beside the browser's own accessibility tree, in one interleaved run on the headless shell.
//!
//! `snapshot_speed [ROUNDS]` prints one JSON line for each page size: elements, nodes of the snapshot, median milliseconds
//! of a whole look (walk, transport, parse, assemble), of the walk alone inside the page and of
//! `Accessibility.getFullAXTree` (its reply parsed as JSON, nothing more), and the ratio of look and tree; at last the exponent by which
//! the time of a look grows between the first and the last size.

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use waymark_snapshot::WindowKey;
use waymark_surface::{Driver as _, Observe, RouteGuard, RouteRequest, RouteVerdict};
use waymark_web::{Browser, BrowserKind, LaunchOptions, SessionOptions};

const SIZES: [usize; 4] = [100, 1_000, 10_000, 50_000];
/// No look of these pages may take longer.
const LIMIT: Duration = Duration::from_secs(60);

struct Open;

impl RouteGuard for Open {
    fn decide(&self, _: &RouteRequest) -> RouteVerdict {
        RouteVerdict::Allow
    }

    fn denied_patterns(&self) -> Vec<String> {
        Vec::new()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let rounds: usize = std::env::args().nth(1).map_or(Ok(9), |text| text.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let base = format!("http://{}", listener.local_addr()?);
        let serving = tokio::spawn(serve(listener));
        let options = LaunchOptions { kind: BrowserKind::Shell, ..LaunchOptions::default() };
        let browser = Browser::launch(&options).await?;
        let mut looks = Vec::new();
        for size in SIZES {
            looks.push(measure(&browser, &format!("{base}/{size}"), rounds).await?);
        }
        let (first, last) = (looks[0], looks[SIZES.len() - 1]);
        let exponent = (last.1 / first.1).ln() / (last.0 / first.0).ln();
        println!("{}", json!({"exponent": rounded(exponent)}));
        browser.close().await;
        serving.abort();
        Ok(())
    })
}

/// Elements of the page, and median milliseconds of a look at it.
async fn measure(browser: &Browser, location: &str, rounds: usize) -> Result<(f64, f64), Box<dyn Error>> {
    let mut driver = browser.session(SessionOptions { guard: Arc::new(Open), downloads: None }).await?;
    let probe = driver.probe(&WindowKey::main()).ok_or("no window")?;
    probe.open(location).await?;
    let elements = probe.evaluate("document.getElementsByTagName('*').length").await?.as_f64().unwrap_or_default();
    let (mut looks, mut walks, mut trees) = (Vec::new(), Vec::new(), Vec::new());
    let (mut nodes, mut peers) = (0, 0);
    for round in 0..=rounds {
        let began = Instant::now();
        let seen = driver.observe(&Observe::default(), LIMIT).await?;
        let look = milliseconds(began);
        let began = Instant::now();
        let reply = probe.call("Accessibility.getFullAXTree", json!({})).await?;
        let tree = milliseconds(began);
        peers = reply["nodes"].as_array().map_or(0, Vec::len);
        let inside =
            "(() => { const began = performance.now(); wm.walk({hints: []}); return performance.now() - began; })()";
        let walk = probe.agent(inside).await?.as_f64().unwrap_or_default();
        nodes = seen.snapshot.nodes().len();
        // The first of each warms up.
        if round > 0 {
            looks.push(look);
            trees.push(tree);
            walks.push(walk);
        }
    }
    let (look, walk, tree) = (median(looks), median(walks), median(trees));
    let line = json!({
        "elements": elements, "nodes": nodes, "look_ms": rounded(look), "walk_ms": rounded(walk),
        "tree_ms": rounded(tree), "tree_nodes": peers, "ratio": rounded(look / tree),
    });
    println!("{line}");
    driver.close().await;
    Ok((elements, look))
}

fn milliseconds(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1000.0
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Answers `/N` with a page of about N elements.
async fn serve(listener: TcpListener) {
    while let Ok((mut stream, _)) = listener.accept().await {
        let mut request = [0_u8; 4096];
        let Ok(got) = stream.read(&mut request).await else { continue };
        let text = String::from_utf8_lossy(&request[..got]).into_owned();
        let size = text.split_whitespace().nth(1).and_then(|path| path.strip_prefix('/')?.parse().ok());
        let body = size.map(page).unwrap_or_default();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\nconnection: close";
        let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let _ = stream.write_all(answer.as_bytes()).await;
        let _ = stream.shutdown().await;
    }
}

/// A grid of a legacy application: eight elements in each row, a link and a field among them.
fn page(size: usize) -> String {
    let rows: String = (0..size.saturating_sub(16) / 8)
        .map(|row| {
            format!(
                "<tr><td><b>PART {row}</b></td><td><a href=\"/part?no={row}\">Show {}</a></td>\
                 <td><input name=\"n{row}\" size=\"4\" value=\"{}\"></td><td>${}.50</td></tr>",
                500_000 + row,
                row % 9,
                row * 3
            )
        })
        .collect();
    format!(
        "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\"><html><head><title>Stock</title></head><body>\
         <h2>Stock</h2><form action=\"/\"><table border=\"1\"><tr><td><b>PART</b></td><td><b>LINK</b></td><td><b>NUMBER</b></td>\
         <td><b>PRICE</b></td></tr>{rows}</table><input type=\"submit\" value=\"Save\"></form></body></html>"
    )
}
