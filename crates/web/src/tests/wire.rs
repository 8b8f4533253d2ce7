//! A web socket that is cut, and one over which nothing comes any more.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use waymark_snapshot::{Role, WindowKey};
use waymark_surface::{Act, Delivery, Driver as _, DriverError, NotDelivered, Observation, Observe, Settling, Until};

use super::{SOON, find};
use crate::common::{Server, block_on, session};
use crate::{Browser, BrowserKind, WebDriver, installed};

const SHORT: Duration = Duration::from_millis(700);

/// What the connection between this side and the browser does.
#[derive(Clone, Copy, PartialEq)]
enum Line {
    Open,
    /// Nothing passes in either direction, nobody is told.
    Silent,
    Cut,
}

/// A browser that somebody else runs, with its profile.
struct Other {
    process: Child,
    profile: std::path::PathBuf,
}

impl Other {
    /// Starts it; its port and path.
    async fn start(name: &str) -> (Self, u16, String) {
        use std::os::unix::process::CommandExt as _;
        let profile = std::env::temp_dir().join(format!("waymark-wire-{name}-{}", std::process::id()));
        let path = installed().into_iter().find(|found| found.kind == BrowserKind::Shell).unwrap().path;
        let mut flags = vec!["--remote-debugging-port=0".to_owned(), format!("--user-data-dir={}", profile.display())];
        if rustix::process::getuid().is_root() {
            flags.push("--no-sandbox".into());
        }
        let process =
            Command::new(path).args(flags).arg("about:blank").stderr(Stdio::null()).process_group(0).spawn().unwrap();
        let file = profile.join("DevToolsActivePort");
        let end = Instant::now() + Duration::from_secs(30);
        let (port, path) = loop {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            if let Some((port, path)) = text.trim().split_once('\n') {
                break (port.parse().unwrap(), path.to_owned());
            }
            assert!(Instant::now() < end, "it does not start");
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        (Other { process, profile }, port, path)
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_raw(self.process.id().cast_signed()).unwrap();
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        let _ = self.process.wait();
        // Children of the browser may still be writing.
        let end = Instant::now() + Duration::from_secs(5);
        while std::fs::remove_dir_all(&self.profile).is_err() && self.profile.exists() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Passes bytes on as long as the line is open.
async fn pass(from: &mut TcpStream, port: u16, mut line: watch::Receiver<Line>) {
    let mut to = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let cut = async {
        let _ = line.wait_for(|line| *line != Line::Open).await;
    };
    tokio::select! {
        _ = tokio::io::copy_bidirectional(from, &mut to) => return,
        () = cut => {}
    }
    // Both ends are held until the line is cut.
    let _ = line.wait_for(|line| *line == Line::Cut).await;
}

/// One session over a line, with a page that has one button.
fn over_a_line(name: &str, body: impl AsyncFnOnce(&mut WebDriver, &Observation, &watch::Sender<Line>)) {
    block_on(async {
        let (other, port, path) = Other::start(name).await;
        let (line, state) = watch::channel(Line::Open);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let between = listener.local_addr().unwrap().port();
        let passing = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            pass(&mut stream, port, state).await;
        });
        let server = Server::start(&[("/", "<button>Go</button>")]).await;
        let browser = Browser::connect(&format!("ws://127.0.0.1:{between}{path}")).await.unwrap();
        let mut driver = session(&browser).await;
        let open = Act::Open { window: WindowKey::main(), location: server.url("/") };
        assert_eq!(driver.core.perform(&open, SOON).await, Delivery::Delivered { read_back: None });
        let mut seen = driver.observe(&Observe::default(), SOON).await.unwrap();
        while seen.settling != Settling::Settled {
            let change = Observe { until: Until::Change { after: seen.number }, ..Observe::default() };
            seen = driver.observe(&change, SOON).await.unwrap();
        }
        body(&mut driver, &seen, &line).await;
        line.send_replace(Line::Cut);
        drop(driver);
        browser.close().await;
        passing.abort();
        drop(other);
    });
}

#[test]
fn a_socket_that_is_cut_ends_what_waits_at_once() {
    over_a_line("cut", async |driver, seen, line| {
        let node = find(seen, &Role::Button, "Go");
        let change = Observe { until: Until::Change { after: seen.number }, ..Observe::default() };
        let began = Instant::now();
        let (waited, _) = tokio::join!(driver.observe(&change, Duration::from_secs(60)), async {
            line.send_replace(Line::Cut);
        });
        let mut end = waited;
        while end.is_ok() {
            end = driver.observe(&Observe::default(), SOON).await;
        }
        assert!(matches!(end, Err(DriverError::Gone { .. })), "{end:?}");
        let act = driver.core.perform(&Act::Click { node }, SOON).await;
        assert!(matches!(act, Delivery::NotDelivered(NotDelivered::Failed(DriverError::Gone { .. }))), "{act:?}");
        assert!(began.elapsed() < SOON);
    });
}

#[test]
fn a_socket_over_which_nothing_comes_ends_every_call_with_its_deadline() {
    over_a_line("silent", async |driver, seen, line| {
        let node = find(seen, &Role::Button, "Go");
        line.send_replace(Line::Silent);
        // What was seen a moment ago still counts as seen.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let began = Instant::now();
        let looked = driver.observe(&Observe::default(), SHORT).await.unwrap();
        assert_eq!((looked.settling, looked.snapshot.scopes()[0].readable), (Settling::Unreadable, false));
        assert!(began.elapsed() < SHORT * 2);
        let began = Instant::now();
        let act = driver.core.perform(&Act::Click { node }, SHORT).await;
        assert!(matches!(act, Delivery::NotDelivered(NotDelivered::Failed(DriverError::Timeout { .. }))), "{act:?}");
        assert!(began.elapsed() < SHORT * 2);
        let began = Instant::now();
        driver.close().await;
        assert!(began.elapsed() < Duration::from_secs(7));
    });
}
