//! Pages that show a value in every way there is, pictures of them, and what can be read off the pictures.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../../web/tests/common/mod.rs"]
mod common;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use common::{Answer, Server, block_on, launch, session};
use serde_json::json;
use waymark_evidence::{Exposure, MaskedPng};
use waymark_redact::{Redactor, Rules};
use waymark_snapshot::WindowKey;
use waymark_surface::{Driver as _, DriverError, Picture, PictureRequest, Uncertain};
use waymark_test_support::canary::{is_read, picture_text};
use waymark_web::{BrowserKind, WebDriver};

use crate::screen::Concealed;

const VALUE: &str = "Kanarienvogel7";
const WITHIN: Duration = Duration::from_secs(20);

/// A page: its name, its body (`@` stands for the value, `{port}` for the server's port), and what a script does to it.
struct Page {
    name: &'static str,
    body: &'static str,
    script: &'static str,
}

const fn page(name: &'static str, body: &'static str) -> Page {
    Page { name, body, script: "" }
}

const fn scripted(name: &'static str, body: &'static str, script: &'static str) -> Page {
    Page { name, body, script }
}

const SHOWN: &[Page] = &[
    page("text", "<p>to @ now</p>"),
    page("a cell that it runs out of", "<table style='table-layout:fixed;width:70px'><tr><td style='white-space:nowrap'>@</table>"),
    page("pieces of a line", "<p>to <b>Kanar</b><i>ienvo</i>gel7</p>"),
    page("pieces below each other", "<div>Kanarien</div><div>vogel7</div>"),
    page("sign by sign", "<p style='letter-spacing:1px'><span>K</span><span>a</span><span>n</span><span>a</span><span>r</span><span>i</span><span>e</span><span>n</span><span>v</span><span>o</span><span>g</span><span>e</span><span>l</span>7</p>"),
    page("a field", "<input value='@'>"),
    page("fields side by side", "<input size=8 value='Kanarien'><input size=6 value='vogel7'>"),
    page("a field for much", "<textarea cols=30 rows=2 style='border:0'>to @</textarea>"),
    page("a hint of a field", "<input placeholder='@'>"),
    page("a choice", "<select><option>none<option selected>@</select>"),
    page("a list of choices", "<select size=3><option>none<option>@</select>"),
    page("a button", "<button>Pay @</button> <input type=submit value='@'>"),
    page("what is edited in place", "<div contenteditable>@</div>"),
    page("capitals by style", "<p style='text-transform:uppercase'>@</p>"),
    page("a shadow of letters", "<p style='color:transparent;text-shadow:150px 60px 0 black'>@</p>"),
    page("a drawing", "<svg width=400 height=60><text x=10 y=40 font-size=26>@</text></svg>"),
    page("a style sheet", "<style>.s::after{content:attr(data-x)}</style><p class=s data-x='@'>to: </p>"),
    page("right to left", "<p dir=rtl>@ אבג</p>"),
    page("turned", "<p style='transform:translate(60px,40px) rotate(4deg);width:300px'>@</p>"),
    page("scaled", "<p style='transform:scale(1.4);transform-origin:0 0;width:300px'>@</p>"),
    page("zoomed", "<div style='zoom:1.5'><p>@</p></div>"),
    page("zoomed as a whole", "<style>html{zoom:1.3}</style><p>@</p>"),
    page("columns", "<div style='columns:2;width:500px'><p>one</p><p>@</p></div>"),
    page("a box that is scrolled", "<div id=s style='height:90px;overflow:auto'><div style='height:300px'></div><p>@</p></div>").then("s.scrollTop = 1000"),
    page("a page that is scrolled", "<div style='height:3000px'></div><p>@</p><p>Harmless</p>").then("scrollTo(0, 5000)"),
    page("an open root", "<div id=h></div>").then("h.attachShadow({mode:'open'}).innerHTML = '<p>@</p>'"),
    page("a closed root", "<x-closed id=h style='display:block'></x-closed>").then("h.attachShadow({mode:'closed'}).innerHTML = '<p>@</p>'"),
    page("a canvas", "<canvas id=c width=400 height=80></canvas>").then("{ const d = c.getContext('2d'); d.font = '28px sans-serif'; d.fillText('@', 10, 50); }"),
    page("an image", "<img src='/value.svg'>"),
    page("an image out of a script", "<img id=i>").then("await new Promise(done => { i.onload = done; i.src = 'data:image/svg+xml,' + encodeURIComponent(`<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"400\" height=\"60\"><text x=\"10\" y=\"40\" font-size=\"28\">@</text></svg>`); })"),
    page("a button that is an image", "<input type=image src='/value.svg'>"),
    page("a frame", "<iframe src='/inner' style='width:500px;height:150px;margin:20px 0 0 90px;border:7px solid gray;padding:9px'></iframe>"),
    page("a frame of another origin", "<iframe src='http://localhost:{port}/inner' style='width:500px;height:150px;margin-left:60px'></iframe>"),
    page("a frame in a frame, both scrolled", "<iframe id=f src='/outer' style='width:600px;height:260px'></iframe>").then("{ const d = f.contentWindow; d.scrollTo(0, 40); d.frames[0].scrollTo(0, 20); }"),
];

/// What no registered value says: the field alone tells that it is protected.
const PROTECTED: &[Page] = &[
    scripted("a password that is shown", "<input type=password id=p>", "p.value = '@'; p.type = 'text'"),
    scripted("a one-time code", "<input autocomplete=one-time-code id=p>", "p.value = '@'"),
    scripted(
        "a field that takes the place of a password",
        "<form id=f><input type=password name=pw id=p></form>",
        "p.focus(); p.value = '@'; f.innerHTML = '<input name=pw value=\"@\">'",
    ),
    page(
        "a password that is shown in a frame",
        "<iframe src='/shown' style='border:0;width:500px;height:120px;margin-left:40px'></iframe>",
    ),
];

/// Where the place is not known.
const UNKNOWN: &[Page] = &[
    page("a turned frame", "<iframe src='/inner' style='width:500px;height:150px;transform:rotate(3deg)'></iframe>"),
    page(
        "a frame in something scaled",
        "<div style='transform:scale(.9)'><iframe src='/inner' style='width:500px;height:150px'></iframe></div>",
    ),
    page("a zoomed frame", "<iframe src='/inner' style='width:400px;height:120px;zoom:1.2'></iframe>"),
    page(
        "a style sheet that draws elsewhere",
        "<style>.s::after{content:attr(data-x);position:absolute;left:200px;top:150px}</style><p class=s data-x='@'>to: </p>",
    ),
];

impl Page {
    const fn then(self, script: &'static str) -> Page {
        Page { script, ..self }
    }
}

struct Room {
    server: Server,
    driver: WebDriver,
}

impl Room {
    async fn show(&mut self, page: &Page) {
        let style = "<meta charset=utf-8><style>body,input,textarea,select,button{font:26px sans-serif;background:white}</style>";
        let body = format!("{style}<p>Harmless</p>{}", page.body.replace('@', VALUE));
        self.server.answer("/page", Answer::Page(body));
        let probe = self.driver.probe(&WindowKey::main()).unwrap();
        probe.open(&self.server.url("/page")).await.unwrap();
        let loaded = "new Promise(done => document.readyState === 'complete' ? done(1) : addEventListener('load', () => done(1)))";
        probe.evaluate(loaded).await.unwrap();
        if !page.script.is_empty() {
            let script = format!("(async () => {{ {}; return 1; }})()", page.script.replace('@', VALUE));
            probe.evaluate(&script).await.unwrap();
        }
    }

    async fn picture(&mut self, values: &[&str]) -> Picture {
        self.try_picture(values, WITHIN).await.unwrap()
    }

    async fn try_picture(&mut self, values: &[&str], within: Duration) -> Result<Picture, DriverError> {
        let redactor = Redactor::new(&Rules { version: 1, ..Rules::default() }).unwrap();
        for value in values {
            redactor.register("secret", value).unwrap();
        }
        let concealed = Concealed { redactor: Arc::new(redactor), fields: BTreeSet::new() };
        let request = PictureRequest { window: WindowKey::main(), hidden: Arc::new(concealed) };
        self.driver.picture(&request, within).await
    }
}

fn with_room(kind: BrowserKind, body: impl AsyncFnOnce(&mut Room)) {
    block_on(async {
        let inner = "<meta charset=utf-8><body style='font:26px sans-serif;background:white'>";
        let server = Server::start(&[
            ("/inner", &format!("{inner}<p>to {VALUE}</p>")),
            ("/outer", &format!("{inner}<div style='height:70px'></div><iframe src='/deep' style='width:450px;height:130px;margin-left:30px'></iframe><div style='height:900px'></div>")),
            ("/deep", &format!("{inner}<div style='height:40px'></div><p>{VALUE}</p><div style='height:900px'></div>")),
            ("/shown", &format!("{inner}<input type=password id=p style='font:inherit;border:0'><script>p.value='{VALUE}';p.type='text'</script>")),
        ])
        .await;
        let drawing = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='420' height='70'><text x='10' y='45' font-size='28'>{VALUE}</text></svg>"
        );
        server.answer("/value.svg", Answer::Raw(format!("HTTP/1.1 200 OK\r\ncontent-type: image/svg+xml\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{drawing}", drawing.len())));
        let browser = launch(kind).await;
        let driver = session(&browser).await;
        // Smaller pictures are read faster.
        let metrics = json!({"width": 680, "height": 420, "deviceScaleFactor": 1, "mobile": false});
        driver.probe(&WindowKey::main()).unwrap().call("Emulation.setDeviceMetricsOverride", metrics).await.unwrap();
        let mut room = Room { server, driver };
        body(&mut room).await;
        room.driver.close().await;
        browser.close().await;
    });
}

fn masked(picture: Picture) -> MaskedPng {
    Exposure { png: picture.png, scale_milli: picture.scale_milli, boxes: picture.boxes }.masked().unwrap()
}

/// Nothing of the value can be read off the masked picture, all of it off the other one; the rest of the page stays.
async fn check(room: &mut Room, page: &Page, values: &[&str], problems: &mut Vec<String>) {
    room.show(page).await;
    let picture = room.picture(values).await;
    if picture.certain != Ok(()) {
        problems.push(format!("{}: withheld: {:?}", page.name, picture.certain));
        return;
    }
    let before = picture_text(&picture.png).unwrap();
    let boxes = format!("{:?}", picture.boxes);
    keep(page.name, "plain", &picture.png);
    let masked = masked(picture);
    keep(page.name, "masked", masked.png());
    let after = picture_text(masked.png()).unwrap();
    if !is_read(&before, VALUE) {
        problems.push(format!("{}: the picture itself does not show it: {before:?}", page.name));
    }
    if is_read(&after, VALUE) {
        problems.push(format!("{}: {after:?} is left of {before:?}, boxes {boxes}", page.name));
    }
    if !is_read(&after, "Harmless") {
        problems.push(format!("{}: too much is masked: {after:?}, boxes {boxes}", page.name));
    }
}

/// For whoever wants to see them: pictures are kept in the folder that `WAYMARK_KEEP_PICTURES` names.
fn keep(name: &str, which: &str, png: &[u8]) {
    if let Some(folder) = std::env::var_os("WAYMARK_KEEP_PICTURES") {
        let file = format!("{}-{which}.png", name.replace(|c: char| !c.is_alphanumeric(), "_"));
        std::fs::write(std::path::Path::new(&folder).join(file), png).unwrap();
    }
}

fn checked(kind: BrowserKind) {
    with_room(kind, async |room: &mut Room| {
        let mut problems = Vec::new();
        // What the two browsers draw alike is read once: reading takes a while.
        let differs = |page: &&Page| {
            kind == BrowserKind::Shell
                || ["frame", "field", "scrolled", "zoomed"].iter().any(|word| page.name.contains(word))
        };
        for page in SHOWN.iter().filter(differs) {
            check(room, page, &[VALUE], &mut problems).await;
        }
        for page in PROTECTED {
            check(room, page, &[], &mut problems).await;
        }
        for page in UNKNOWN {
            room.show(page).await;
            let certain = room.picture(&[VALUE]).await.certain;
            if certain != Err(Uncertain::Unread) {
                problems.push(format!("{}: {certain:?}", page.name));
            }
            // Where nothing is to be hidden, nothing is withheld.
            let free = room.picture(&["something else"]).await.certain;
            if free != Ok(()) {
                problems.push(format!("{}: withheld for nothing: {free:?}", page.name));
            }
        }
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    });
}

#[test]
fn a_value_cannot_be_read_off_a_picture_wherever_a_page_shows_it_in_the_shell() {
    checked(BrowserKind::Shell);
}

#[test]
fn a_value_cannot_be_read_off_a_picture_wherever_a_page_shows_it_in_chromium() {
    checked(BrowserKind::Chromium);
}

#[test]
fn a_screen_that_moves_gives_no_picture_and_one_that_moves_elsewhere_does() {
    with_room(BrowserKind::Shell, async |room: &mut Room| {
        let moving = scripted(
            "moving",
            "<p id=m style='position:absolute'>@</p>",
            "setInterval(() => { m.style.top = 80 + (performance.now() % 400) + 'px'; }, 3)",
        );
        room.show(&moving).await;
        assert_eq!(room.picture(&[VALUE]).await.certain, Err(Uncertain::Moved));
        let clock =
            scripted("clock", "<p>to @</p><p id=m>x</p>", "let n = 0; setInterval(() => { m.textContent = n++; }, 5)");
        let mut problems = Vec::new();
        check(room, &clock, &[VALUE], &mut problems).await;
        assert!(problems.is_empty(), "{problems:?}");
    });
}

/// Shows the value in what is drawn and only there: `on` is done in each frame before it is drawn, `off` right behind it, so
/// that whoever looks in between finds nothing.
const FLASHING: &[(&str, &str, &str, &str)] = &[
    ("a text", "<p id=m>x</p>", "m.textContent = '@'", "m.textContent = 'x'"),
    ("a part of a text", "<p>Kanar<b id=m>x</b>vogel7</p>", "m.firstChild.data = 'ien'", "m.firstChild.data = 'x'"),
    ("a line of two", "<div>Kanarien</div><div id=m>x</div>", "m.textContent = 'vogel7'", "m.textContent = 'x'"),
    (
        "a class",
        "<style>.h{display:none}</style><p>x</p><p id=m class=h>@</p>",
        "m.className = ''",
        "m.className = 'h'",
    ),
    (
        "a class elsewhere",
        "<style>.s + p{display:none}</style><p id=m class=s>x</p><p>@</p>",
        "m.className = ''",
        "m.className = 's'",
    ),
    (
        "a sheet",
        "<style id=m>.h{display:none}</style><p class=h>@</p>",
        "m.sheet.disabled = true",
        "m.sheet.disabled = false",
    ),
    ("a field", "<input id=m value=x>", "m.value = '@'", "m.value = 'x'"),
    ("a field of as many signs", "<input id=m value=Kanarienvogel0>", "m.value = '@'", "m.value = 'Kanarienvogel0'"),
    ("a hint of a field", "<input id=m>", "m.placeholder = '@'", "m.placeholder = ''"),
    ("a place", "<p id=m>@</p>", "m.style.marginLeft = '90px'", "m.style.marginLeft = ''"),
    (
        "what scrolls",
        "<div id=m style='height:90px;overflow:auto'><p>@</p><div style='height:900px'></div></div>",
        "m.scrollTop = 20",
        "m.scrollTop = 0",
    ),
    (
        "a root",
        "<div id=m></div>",
        "(m.shadowRoot || m.attachShadow({mode: 'open'})).textContent = '@'",
        "if (m.shadowRoot) m.shadowRoot.textContent = 'x'",
    ),
    (
        "a style sheet",
        "<style>#m::after{content:attr(data-x)}</style><p id=m data-x=x>to: </p>",
        "m.dataset.x = '@'",
        "m.dataset.x = 'x'",
    ),
    (
        "a frame",
        "<iframe srcdoc=x style='width:500px'></iframe>",
        "frames[0].document.body.innerHTML = '<h1>@</h1>'",
        "frames[0].document.body.textContent = 'x'",
    ),
];

#[test]
fn what_a_page_shows_only_where_nobody_looks_is_in_no_picture() {
    with_room(BrowserKind::Shell, async |room: &mut Room| {
        let mut problems = Vec::new();
        for (name, body, on, off) in FLASHING {
            room.show(&page("flashing", body)).await;
            let script = format!(
                "(() => {{ const behind = new MessageChannel(); behind.port1.onmessage = () => {{ {off}; }};
                 const frame = () => {{ {on}; behind.port2.postMessage(0); requestAnimationFrame(frame); }};
                 requestAnimationFrame(frame); return 1; }})()"
            );
            let probe = room.driver.probe(&WindowKey::main()).unwrap();
            probe.evaluate(&script.replace('@', VALUE)).await.unwrap();
            let picture = room.picture(&[VALUE]).await;
            // Where both looks came right behind what was drawn, they know of it.
            if picture.certain.is_ok() {
                let masked = masked(picture);
                keep(name, "flashing", masked.png());
                let left = picture_text(masked.png()).unwrap();
                if is_read(&left, VALUE) {
                    problems.push(format!("{name}: {left:?} is left"));
                }
            }
        }
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    });
}

#[test]
fn a_text_that_comes_and_goes_is_in_no_picture() {
    with_room(BrowserKind::Shell, async |room: &mut Room| {
        let coming = scripted(
            "coming",
            "<p id=m>x</p>",
            "let n = 0; setInterval(() => { m.textContent = (n++ % 2) ? '@' : 'x'; }, 1)",
        );
        room.show(&coming).await;
        for _ in 0..10 {
            let picture = room.picture(&[VALUE]).await;
            if picture.certain.is_ok() {
                let masked = masked(picture);
                assert!(!is_read(&picture_text(masked.png()).unwrap(), VALUE));
            }
        }
    });
}

#[test]
fn a_frame_that_does_not_answer_leaves_no_picture() {
    with_room(BrowserKind::Shell, async |room: &mut Room| {
        let page = scripted(
            "hung",
            "<iframe id=f src='http://localhost:{port}/inner' style='width:500px;height:150px'></iframe>",
            "1",
        );
        room.show(&page).await;
        assert_eq!(room.picture(&[VALUE]).await.certain, Ok(()));
        room.server
            .answer("/inner", Answer::Page("<script>onmessage = () => { for (;;); }</script>to <b>it</b>".into()));
        room.show(&page).await;
        let probe = room.driver.probe(&WindowKey::main()).unwrap();
        probe.evaluate("f.contentWindow.postMessage('go', '*'), 1").await.unwrap();
        // The browser itself may not get round to it; then there is no picture either.
        let taken = room.try_picture(&[VALUE], Duration::from_secs(4)).await;
        assert!(!matches!(&taken, Ok(Picture { certain: Ok(()), .. })), "{taken:?}");
    });
}

#[test]
fn a_screen_with_more_pixels_is_masked_at_its_scale() {
    with_room(BrowserKind::Shell, async |room: &mut Room| {
        let probe = room.driver.probe(&WindowKey::main()).unwrap();
        for (width, scale) in [(700, 2.0), (640, 1.25)] {
            let metrics = json!({"width": width, "height": 400, "deviceScaleFactor": scale, "mobile": false});
            probe.call("Emulation.setDeviceMetricsOverride", metrics).await.unwrap();
            let mut problems = Vec::new();
            check(room, &page("dense", "<p style='margin:60px 0 0 90px'>to @</p>"), &[VALUE], &mut problems).await;
            assert!(problems.is_empty(), "{scale}: {problems:?}");
        }
    });
}
