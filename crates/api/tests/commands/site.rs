//! The small application of `tests/bench/site`, page by page.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread;

pub struct Site {
    address: SocketAddr,
}

impl Site {
    pub fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                thread::spawn(move || serve(stream));
            }
        });
        Site { address }
    }

    pub fn address(&self) -> String {
        format!("http://{}", self.address)
    }
}

fn serve(mut stream: TcpStream) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !request.windows(4).any(|four| four == b"\r\n\r\n") {
        let Ok(length @ 1..) = stream.read(&mut buffer) else { return };
        request.extend_from_slice(&buffer[..length]);
    }
    let text = String::from_utf8_lossy(&request).into_owned();
    let mut words = text.split_whitespace();
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (status, more, body) = match (method, path.split('?').next().unwrap_or_default()) {
        ("POST", "/login") => ("302 Found", "location: /overview\r\n", String::new()),
        (_, "/") => ("200 OK", "", FRAMES.to_owned()),
        (_, "/nav") => ("200 OK", "", page("Menu", MENU)),
        (_, "/login") => ("200 OK", "", page("Sign on", LOGIN)),
        (_, "/overview") => ("200 OK", "", page("Accounts Overview", &overview())),
        (_, "/account") => ("200 OK", "", page("Account Details", DETAIL)),
        _ => ("404 Not Found", "", String::new()),
    };
    let head =
        format!("HTTP/1.1 {status}\r\ncontent-type: text/html; charset=utf-8\r\ncache-control: no-store\r\n{more}");
    let answer = format!("{head}connection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let _ = stream.write_all(answer.as_bytes());
}

fn page(title: &str, body: &str) -> String {
    let kind = "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">";
    format!("{kind}<html><head><title>{title}</title></head><body bgcolor=\"#ffffff\">{body}</body></html>")
}

const FRAMES: &str = "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Frameset//EN\"><html><head><title>Meridian Core 4.2</title></head>\
    <frameset cols=\"180,*\"><frame name=\"nav\" src=\"/nav\"><frame name=\"main\" src=\"/login\"></frameset></html>";
const MENU: &str = "<font size=\"2\"><b>MENU</b><br><a href=\"/overview\" target=\"main\">Accounts</a></font>";
const LOGIN: &str = "<form action=\"/login\" method=\"post\"><table border=\"0\" cellpadding=\"4\">\
    <tr><td><b>USER ID</b></td><td><input name=\"u\" size=\"12\"></td></tr>\
    <tr><td><b>PASSWORD</b></td><td><input name=\"p\" type=\"password\" size=\"12\"></td></tr>\
    <tr><td></td><td><input type=\"submit\" value=\"Log In\"></td></tr></table></form>";
const DETAIL: &str = "<table width=\"100%\"><tr><td><font size=\"4\"><b>Account Details</b></font></td><td>SA0320</td></tr></table>\
    <table border=\"0\" cellpadding=\"3\"><tr><td><b>ACCOUNT NUMBER</b></td><td>12345</td></tr><tr><td><b>TYPE</b></td><td>CHECKING</td></tr>\
    <tr><td><b>DATE OPENED</b></td><td>01/15/2000</td></tr><tr><td><b>BALANCE</b></td><td>$1000.50</td></tr></table>\
    <p><a href=\"/overview\">Back to Accounts</a></p>";

fn overview() -> String {
    let rows: String = (0..12)
        .map(|at| {
            let (id, cents) = (12345 + at * 111, 100_050 + at * 3_725);
            let amount = format!("${}.{:02}", cents / 100, cents % 100);
            format!(
                "<tr><td><a href=\"/account?id={id}\">{id}</a></td><td>SAVINGS</td><td align=\"right\">{amount}</td>\
                 <td align=\"right\">{amount}</td></tr>"
            )
        })
        .collect();
    format!(
        "<table width=\"100%\"><tr><td><font size=\"4\"><b>Accounts Overview</b></font></td><td>SA0200</td></tr></table>\
         <table border=\"1\" cellpadding=\"3\" width=\"640\"><tr bgcolor=\"#cccccc\"><td><b>Account</b></td><td><b>Type</b></td>\
         <td><b>Balance*</b></td><td><b>Available</b></td></tr>{rows}</table>\
         <p><font size=\"1\">*Balance includes deposits that may be subject to holds</font></p>"
    )
}
