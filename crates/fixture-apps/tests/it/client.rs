//! A browser of a hundred lines: one request a connection, one cookie jar, no scripts.

use std::error::Error;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use waymark_fixture_apps::meridian::Variant;
use waymark_fixture_apps::{Delays, Options, Running, serve_meridian, serve_parabank};

pub struct Client {
    addr: SocketAddr,
    /// What the `Host` header says.
    pub host: String,
    pub cookie: Option<String>,
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn title(&self) -> &str {
        between(&self.body, "<title>", "</title>")
    }

    pub fn json(&self) -> Result<serde_json::Value, serde_json::Error> {
        serde_json::from_str(&self.body)
    }

    pub fn has(&self, text: &str) -> bool {
        self.body.contains(text)
    }

    pub fn times(&self, text: &str) -> usize {
        self.body.matches(text).count()
    }
}

/// The text between two marks, empty where they are not.
pub fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    text.split_once(start).and_then(|(_, rest)| rest.split_once(end)).map_or("", |(inner, _)| inner)
}

/// An instance that answers at once, and a client that is not logged in.
pub async fn bank() -> Result<(Running, Client), Box<dyn Error>> {
    faulty_bank("").await
}

/// An instance that has these faults, separated by blanks, and a client that is not logged in.
pub async fn faulty_bank(faults: &str) -> Result<(Running, Client), Box<dyn Error>> {
    let faults = faults.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let delays = Delays { slow_load: SLOW, ..Delays::none() };
    let running = serve_parabank(Options { delays, faults, ..Options::default() }).await?;
    let client = Client::new(&running);
    Ok((running, client))
}

/// What `slow_load` takes here.
pub const SLOW: Duration = Duration::from_millis(300);

/// An instance that answers at once, and john.
pub async fn john() -> Result<(Running, Client), Box<dyn Error>> {
    faulty_john("").await
}

/// An instance that has these faults as soon as john is logged in.
pub async fn faulty_john(faults: &str) -> Result<(Running, Client), Box<dyn Error>> {
    let (running, mut client) = bank().await?;
    let answer = client.post("/parabank/login.htm", "username=john&password=demo").await?;
    assert_eq!(answer.status, 302);
    running.inject(faults.split_whitespace().map(str::parse).collect::<Result<Vec<_>, _>>()?)?;
    Ok((running, client))
}

/// A console that answers at once, and a client that has not signed on.
pub async fn console(variant: Variant) -> Result<(Running, Client), Box<dyn Error>> {
    let delays = Delays { slow_load: SLOW, ..Delays::none() };
    let running = serve_meridian(Options { delays, variant, ..Options::default() }).await?;
    let client = Client::new(&running);
    Ok((running, client))
}

/// A console that has these faults as soon as the teller has signed on and looked a member up.
pub async fn teller(faults: &str) -> Result<(Running, Client), Box<dyn Error>> {
    let (running, mut client) = console(Variant::A).await?;
    assert_eq!(client.post("/meridian/mi0100", "OPID=teller1&OPPW=demo123").await?.status, 302);
    assert!(client.post("/meridian/mi0210", "MBRNO=12345").await?.has("ALVAREZ, MARIA T"));
    running.inject(faults.split_whitespace().map(str::parse).collect::<Result<Vec<_>, _>>()?)?;
    running.log().clear();
    Ok((running, client))
}

impl Client {
    pub fn new(running: &Running) -> Self {
        Self { addr: running.addr(), host: running.addr().to_string(), cookie: None }
    }

    pub async fn get(&mut self, path: &str) -> Result<Answer, Box<dyn Error>> {
        self.send("GET", path, "", "").await
    }

    pub async fn post(&mut self, path: &str, form: &str) -> Result<Answer, Box<dyn Error>> {
        let header = "Content-Type: application/x-www-form-urlencoded\r\n";
        self.send("POST", path, header, form).await
    }

    /// One request with further header lines; the cookie that comes back is kept.
    pub async fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> Result<Answer, Box<dyn Error>> {
        let cookie = match &self.cookie {
            Some(cookie) => format!("Cookie: theme=plain; {cookie}\r\n"),
            None => String::new(),
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n\
             {cookie}{headers}\r\n{body}",
            self.host,
            body.len()
        );
        let mut stream = TcpStream::connect(self.addr).await?;
        stream.write_all(request.as_bytes()).await?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await?;
        let answer = parse(&String::from_utf8_lossy(&bytes))?;
        if let Some(cookie) = answer.header("set-cookie") {
            self.cookie = cookie.split(';').next().map(str::to_owned);
        }
        Ok(answer)
    }
}

fn parse(text: &str) -> Result<Answer, Box<dyn Error>> {
    let (head, body) = text.split_once("\r\n\r\n").ok_or("no end of the headers")?;
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).ok_or("no status line")?.parse()?;
    let headers = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    Ok(Answer { status, headers, body: body.to_owned() })
}
