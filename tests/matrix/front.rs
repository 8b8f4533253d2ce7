//! What lies between the browser and the bank: it can lose a request or its answer, break it off, or lead elsewhere;
//! and it can serve the form for transfers as somebody might have written it worse.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use waymark_fixture_apps::Place;

use crate::cell::Wire;

/// The longest request that is passed on.
const LONGEST: usize = 64 * 1024;

/// How long a request may take to come whole.
const COMING: Duration = Duration::from_millis(2);

/// Serves until it is dropped.
pub struct Front {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    bank: SocketAddr,
    elsewhere: SocketAddr,
    wire: Wire,
    place: Place,
    once: bool,
    struck: AtomicUsize,
    strangers: AtomicUsize,
    payments: AtomicUsize,
    stop: AtomicBool,
    sockets: Mutex<Vec<TcpStream>>,
}

impl Front {
    /// Passes on to the bank, and strikes at a place once or each time.
    pub fn before(bank: SocketAddr, wire: Wire, place: Place, once: bool) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let stranger = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            bank,
            elsewhere: stranger.local_addr()?,
            wire,
            place,
            once,
            struck: AtomicUsize::new(0),
            strangers: AtomicUsize::new(0),
            payments: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            sockets: Mutex::default(),
        });
        serve(listener, &shared, Shared::answer);
        serve(stranger, &shared, Shared::stranger);
        Ok(Front { address, shared })
    }

    /// The address of the bank as the browser knows it.
    pub fn base_url(&self) -> String {
        format!("http://{}/parabank", self.address)
    }

    /// The one origin that a run behind it is allowed.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Whether it struck.
    pub fn struck(&self) -> bool {
        self.shared.struck.load(Ordering::SeqCst) > 0
    }

    /// Requests that came to where nobody should have been led.
    pub fn strangers(&self) -> usize {
        self.shared.strangers.load(Ordering::SeqCst)
    }

    /// Requests for a transfer, whatever became of them.
    pub fn payments(&self) -> usize {
        self.shared.payments.load(Ordering::SeqCst)
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        for socket in self.shared.sockets.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            drop(socket.shutdown(Shutdown::Both));
        }
        // Each listener sees that it is over with one last connection.
        drop(TcpStream::connect(self.address));
        drop(TcpStream::connect(self.shared.elsewhere));
    }
}

/// What a request is: its bytes, where it goes, and whether it is a document.
struct Asked {
    bytes: Vec<u8>,
    place: Option<Place>,
    pays: bool,
}

impl Shared {
    fn answer(&self, mut browser: TcpStream) {
        let Some(asked) = asked(&browser) else { return };
        let nth = if asked.pays { self.payments.fetch_add(1, Ordering::SeqCst) + 1 } else { 0 };
        let here = asked.place.is_some_and(|place| place == self.place || asked.pays && self.place == Place::Booked);
        if asked.pays && self.wire.is_a_form() {
            return self.pay(browser, &asked, nth);
        }
        let strikes = here && !(self.once && self.struck.load(Ordering::SeqCst) > 0);
        if strikes {
            self.struck.fetch_add(1, Ordering::SeqCst);
        }
        // What is lost on the way there never reaches the bank; what is lost on the way back was booked.
        let whole = match (strikes, asked.pays && self.place == Place::Submit) {
            (true, true) => HALF_AN_ANSWER.to_vec(),
            (true, false) if matches!(self.wire, Wire::Unanswered | Wire::Reset | Wire::Elsewhere) && !asked.pays => {
                Vec::new()
            }
            _ => self.pass_on(&asked.bytes).unwrap_or_default(),
        };
        if !strikes {
            return give(browser, &whole);
        }
        match self.wire {
            Wire::Unanswered => wait_for_the_end(browser),
            Wire::HeadOnly => {
                if browser.write_all(&whole[..up_to(&whole, 0)]).is_ok() {
                    wait_for_the_end(browser);
                }
            }
            Wire::Truncated => give(browser, &whole[..up_to(&whole, 1)]),
            // A socket that is closed with something unread is reset.
            Wire::Reset => drop(browser),
            Wire::Elsewhere => {
                let head = format!(
                    "HTTP/1.1 302 Found\r\nLocation: http://{}/parabank/elsewhere.htm\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                    self.elsewhere
                );
                give(browser, head.as_bytes());
            }
            _ => {
                let page = String::from_utf8_lossy(&whole).into_owned();
                give(browser, with_script(&page, self.wire.script()).as_bytes());
            }
        }
    }

    /// The payment of a form that was written worse. This bank knows a payment that it has already and refuses it.
    fn pay(&self, browser: TcpStream, asked: &Asked, nth: usize) {
        let (late, booked) = match self.wire {
            Wire::Refused | Wire::RefusedUntold => (Duration::from_millis(300), false),
            Wire::RefusedLate => (Duration::from_millis(2_000), false),
            Wire::BookedLate => (Duration::from_millis(1_500), true),
            Wire::PressedLater => (Duration::from_millis(if nth == 1 { 1_500 } else { 0 }), nth == 1),
            _ => (Duration::from_millis(if nth == 1 { 300 } else { 0 }), nth == 1),
        };
        thread::sleep(late);
        let answer = if booked { self.pass_on(&asked.bytes).unwrap_or_default() } else { REFUSAL.to_vec() };
        give(browser, &answer);
    }

    fn pass_on(&self, request: &[u8]) -> Result<Vec<u8>> {
        let mut bank = TcpStream::connect(self.bank)?;
        self.keep(&bank);
        bank.write_all(request)?;
        let mut answer = Vec::new();
        bank.read_to_end(&mut answer)?;
        Ok(answer)
    }

    fn stranger(&self, browser: TcpStream) {
        // A browser may connect in advance; what counts is what it sends.
        if browser.peek(&mut [0]).is_ok_and(|length| length > 0) {
            self.strangers.fetch_add(1, Ordering::SeqCst);
            drop(browser);
        }
    }

    fn keep(&self, socket: &TcpStream) {
        if let Ok(socket) = socket.try_clone() {
            self.sockets.lock().unwrap_or_else(PoisonError::into_inner).push(socket);
        }
    }
}

const HALF_AN_ANSWER: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 60\r\nConnection: close\r\n\r\n$41.17 moved from account #12345 to account #12456          ";

const REFUSAL: &[u8] =
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 19\r\nConnection: close\r\n\r\nThis was not booked";

fn serve(listener: TcpListener, shared: &Arc<Shared>, each: impl Fn(&Shared, TcpStream) + Copy + Send + 'static) {
    let shared = shared.clone();
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            if shared.stop.load(Ordering::SeqCst) {
                break;
            }
            shared.keep(&socket);
            let shared = shared.clone();
            thread::spawn(move || each(&shared, socket));
        }
    });
}

/// The one request of a connection, left unread until it is answered.
fn asked(browser: &TcpStream) -> Option<Asked> {
    let mut buffer = vec![0; LONGEST];
    loop {
        let length = match browser.peek(&mut buffer) {
            Ok(0) => return None,
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        if let Some(head) = head_end(&buffer[..length]) {
            let text = String::from_utf8_lossy(&buffer[..head]).into_owned();
            let body = text.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
            });
            let end = head + body.unwrap_or_default();
            if length >= end {
                return Some(read(&text, &buffer[head..end]));
            }
        }
        thread::sleep(COMING);
    }
}

fn read(head: &str, body: &[u8]) -> Asked {
    let mut words = head.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split(['?', ';']).next().unwrap_or_default();
    let data = path.strip_prefix("/parabank/services_proxy/bank/");
    let segments: Vec<&str> = data.unwrap_or_default().split('/').collect();
    let place = match (data, segments.as_slice()) {
        (Some(_), _) if method == "POST" => Some(Place::Submit),
        (Some(_), ["customers", _, "accounts"]) => Some(Place::Accounts),
        (Some(_), [_, _, "transactions", ..]) => Some(Place::Transactions),
        (Some(_), _) => Some(Place::Account),
        (None, _) => path.strip_prefix("/parabank/").and_then(|file| file.strip_suffix(".htm")?.parse().ok()),
    };
    // One connection for each request: a browser sends a request again by itself where one that was kept is reset.
    let mut bytes = Vec::new();
    for line in head.trim_end().lines().filter(|line| !line.to_ascii_lowercase().starts_with("connection:")) {
        bytes.extend_from_slice(line.as_bytes());
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"Connection: close\r\n\r\n");
    bytes.extend_from_slice(body);
    Asked { bytes, place, pays: place == Some(Place::Submit) && segments == ["transfer"] }
}

/// Answers, and closes so that everything arrives.
fn give(mut browser: TcpStream, answer: &[u8]) {
    if browser.write_all(answer).is_ok() {
        drop(browser.shutdown(Shutdown::Write));
        let mut rest = [0; 4096];
        while let Ok(1..) = browser.read(&mut rest) {}
    }
}

fn wait_for_the_end(mut browser: TcpStream) {
    let mut rest = [0; 4096];
    while let Ok(1..) = browser.read(&mut rest) {}
}

fn head_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

/// How much of an answer is given: its head, and so many halves of its body. Of one without a body half the head.
fn up_to(answer: &[u8], halves: usize) -> usize {
    match head_end(answer) {
        Some(head) if head < answer.len() => head + (answer.len() - head) / 2 * halves,
        _ => answer.len() / 2,
    }
}

/// An answer with a script at the end of its page.
fn with_script(answer: &str, script: &str) -> String {
    let Some((head, page)) = answer.split_once("\r\n\r\n") else { return answer.to_owned() };
    let page = page.replacen("</body>", &format!("<script>{script}</script></body>"), 1);
    let head: Vec<&str> =
        head.lines().filter(|line| !line.to_ascii_lowercase().starts_with("content-length:")).collect();
    format!("{}\r\nContent-Length: {}\r\n\r\n{page}", head.join("\r\n"), page.len())
}
