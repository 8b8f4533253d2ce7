//! The real desktop window under a virtual display, driven over WebDriver.
//!
//! It needs `xvfb-run`, `dbus-run-session` and `WebKitWebDriver`, and fails with the package's name where one is missing.

use std::{
    io::{BufRead, BufReader},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;

/// The programs the test starts, each with the Debian package that brings it.
const PROGRAMS: [(&str, &str); 4] =
    [("Xvfb", "xvfb"), ("xvfb-run", "xvfb"), ("dbus-run-session", "dbus"), ("WebKitWebDriver", "webkit2gtk-driver")];

/// Runs inside the display. It ends with its standard input, so a test that is killed leaves no process behind.
const KEEPER: &str = r#"
WebKitWebDriver --host=127.0.0.1 --port="$1" </dev/null &
driver=$!
echo started
read -r _
kill "$driver"
wait "$driver"
"#;

/// A private display with a driver on it; both end when this is dropped.
pub struct Display {
    child: Child,
    port: u16,
}

impl Display {
    /// Starts a virtual display, a private message bus and a driver.
    ///
    /// # Errors
    /// A program is missing (the message names the package), or the driver did not listen within 20 seconds.
    pub fn start() -> Result<Self> {
        for (program, package) in PROGRAMS {
            ensure!(is_on_path(program), "`{program}` is missing: apt-get install {package}");
        }
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut child = Command::new("xvfb-run")
            .args(["-a", "-s", "-screen 0 1400x900x24", "dbus-run-session", "--"])
            .args(["sh", "-c", KEEPER, "keeper"])
            .arg(port.to_string())
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .env("NO_AT_BRIDGE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // The desktop services of a bare machine complain here; what fails reaches the test through the driver.
            .stderr(Stdio::null())
            .spawn()
            .context("xvfb-run could not be started")?;
        let mut first = String::new();
        let output = child.stdout.take().context("the display has no output")?;
        BufReader::new(output).read_line(&mut first)?;
        let display = Self { child, port };
        ensure!(first.trim() == "started", "the virtual display did not start");
        display.wait_until_it_listens()?;
        Ok(display)
    }

    /// Opens the application in a driver session.
    ///
    /// # Errors
    /// The driver refused the session, or the application did not open a window.
    pub async fn open(&self, application: &Path) -> Result<Client> {
        let mut wanted = serde_json::Map::new();
        let options = serde_json::json!({ "binary": application, "args": [] });
        wanted.insert("webkitgtk:browserOptions".to_owned(), options);
        ClientBuilder::new(HttpConnector::new())
            .capabilities(wanted)
            .connect(&format!("http://127.0.0.1:{}", self.port))
            .await
            .context("the driver could not open the window")
    }

    fn wait_until_it_listens(&self) -> Result<()> {
        let deadline = Instant::now() + Duration::from_secs(20);
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            if Instant::now() > deadline {
                bail!("the driver did not listen on port {} within 20 s", self.port);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // The keeper reads from this pipe: closing it ends the driver, the bus and the display in that order.
        drop(self.child.stdin.take());
        // Nothing can be done about a child that cannot be waited for while a test unwinds.
        drop(self.child.wait());
    }
}

/// Builds the desktop application if it is not fresh, and says where it lies.
///
/// # Errors
/// The build failed; its output is in the message.
pub fn application() -> Result<PathBuf> {
    // Asked when the test runs: two checkouts may share one build folder.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let root = Path::new(&here).join("../..");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .current_dir(root)
        .args(["build", "--package", "waymark-desktop", "--bin", "waymark-desktop"])
        .args(["--message-format", "json-render-diagnostics"])
        .output()?;
    ensure!(
        built.status.success(),
        "the desktop application does not build (are libwebkit2gtk-4.1-dev, librsvg2-dev and pkg-config installed?)\n{}",
        String::from_utf8_lossy(&built.stderr)
    );
    String::from_utf8_lossy(&built.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == "waymark-desktop")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .context("the build names no executable")
}

fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
