//! "Meridian Core 4.2", a core-banking console as such were in 1998. There is no such product; all data are invented.
//!
//! Kept on purpose: a real frameset with a navigation frame (`nav`) and a main frame (`main`); layout by nested tables
//! and `<font>`; fields that nothing names but a bold caption in the cell beside them; a screen identifier on every
//! screen and a code before every message; the member that is looked at is remembered by the host, not by the address;
//! a form that is sent again is carried out again. `teller1`/`demo123` signs on; the date is that of ParaBank.
//!
//! A fault at a screen strikes the answer to what is named after it. [`Place::Submit`] is before anything is done at the
//! host, [`Place::Booked`] and the receipts (`SA0510`, `TR0620`) after it. Below `/meridian/admin` lies what no
//! automation may touch: [`Log::count_below`](crate::Log::count_below) counts how often anything there was asked for.
//! The module `bait` leads there where a test wants to be led: `?bait=link`, `redirect`, `form`, `popup`, `frame`,
//! `script` or `fetch` on a screen, or `/meridian/?bait=KIND@SCREEN` for a whole session.

mod bait;
mod faulty;
mod format;
mod host;
mod screen;
mod screens;
mod seed;
mod session;
mod skin;
mod words;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::faults::{Faults, Late, Mode, Place, Struck};
use crate::log::Log;
use crate::markup::CLEAR;
use crate::server::{self, Application, Options, Running, StartError, Stopping, fields, form_of};
use bait::{Bait, Wanted};
use host::Host;
use screen::Screen;
use screens::{Answer, Ask};
use session::{COOKIE_NAME, Sessions};
use skin::BASE;
pub use words::Variant;

/// Serves the application at `http://127.0.0.1:PORT/meridian`, each instance with its own state.
pub async fn serve_meridian(options: Options) -> Result<Running, StartError> {
    let application = Application { name: "meridian", base_path: BASE, places: Place::of_meridian() };
    server::serve(application, options.port, options.faults, |stopping, faults, log| {
        let site = Site { host: Host::seeded(options.password.as_deref()), sessions: Sessions::new(options.idle) };
        let state = Arc::new(Mutex::new(site));
        let late_by = options.delays.slow_load;
        let app = App { state, variant: options.variant, late_by, faults, log, stopping };
        Router::new().fallback(answer).with_state(app)
    })
    .await
}

const BODY_LIMIT: usize = 1 << 20;

#[derive(Clone)]
struct App {
    state: Arc<Mutex<Site>>,
    variant: Variant,
    late_by: Duration,
    faults: Faults,
    log: Log,
    stopping: Stopping,
}

impl App {
    fn site(&self) -> MutexGuard<'_, Site> {
        // A handler that panicked leaves at worst one half-posted transfer of a fictional bank.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Site {
    host: Host,
    sessions: Sessions,
}

/// What is sent back.
enum Reply {
    Screen(Box<Screen>, StatusCode),
    Page(String, StatusCode),
    GoTo(String),
    NotFound,
}

async fn answer(State(app): State<App>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    let name = match path.strip_prefix(BASE) {
        Some("") => return redirect(&format!("{BASE}/")),
        Some(rest) => rest.trim_start_matches('/').to_owned(),
        None if path == "/" => return redirect(&format!("{BASE}/")),
        None => return (StatusCode::NOT_FOUND, "There is no such page.\n").into_response(),
    };
    if name == "dot.gif" {
        return ([(CONTENT_TYPE, "image/gif"), (CACHE_CONTROL, "max-age=3600")], CLEAR).into_response();
    }
    let Ok(body) = to_bytes(body, BODY_LIMIT).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let (session, is_new) = match app.site().sessions.find_or_begin(&parts.headers, Instant::now()) {
        Ok(found) => found,
        Err(error) => return (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    };
    let call = Call {
        name: &name,
        session: &session,
        query: fields(parts.uri.query().unwrap_or_default().as_bytes()),
        form: form_of(&parts.headers, &body),
        is_post: parts.method == "POST",
        request: parts.extensions.get().cloned(),
    };
    let mut response = respond(&app, &call, reply(&app, &call).await);
    if is_new && let Ok(cookie) = format!("{COOKIE_NAME}={session}; Path={BASE}; HttpOnly").parse() {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

struct Call<'a> {
    /// Below the application.
    name: &'a str,
    session: &'a str,
    query: Vec<(String, String)>,
    form: Vec<(String, String)>,
    is_post: bool,
    /// Which request this is in the log.
    request: Option<Struck>,
}

impl Call<'_> {
    fn ask(&self, app: &App) -> Ask<'_> {
        Ask { session: self.session, name: self.name, form: &self.form, is_post: self.is_post, variant: app.variant }
    }
}

async fn reply(app: &App, call: &Call<'_>) -> Reply {
    match call.name {
        "" => return entry(app, call),
        "nav" => return Reply::Page(skin::navigation(app.variant), StatusCode::OK),
        _ => {}
    }
    let commits = screens::commits(call.name, call.is_post);
    let place = screens::place(call.name);
    if let Some(place) = place {
        let before = if commits { Place::Submit } else { at_door(app, call, place) };
        if let Some(reply) = instead(app, call, before, place).await {
            return reply;
        }
    }
    let answer = screens::answer(&mut app.site(), &call.ask(app));
    if matches!(answer, Answer::Booked(_)) {
        app.log.change_booked();
        if let Some(reply) = instead(app, call, Place::Booked, place.unwrap_or(Place::Booked)).await {
            return reply;
        }
    }
    if let Some(place) = place.filter(|_| commits)
        && let Some(reply) = instead(app, call, at_door(app, call, place), place).await
    {
        return reply;
    }
    match answer {
        Answer::Show(screen) | Answer::Booked(screen) => Reply::Screen(Box::new(screen), StatusCode::OK),
        Answer::GoTo(name) => Reply::GoTo(format!("{BASE}/{name}")),
        Answer::NotFound => Reply::NotFound,
    }
}

/// The frameset; whoever is signed on goes on where members are looked up.
fn entry(app: &App, call: &Call<'_>) -> Reply {
    let mut site = app.site();
    let first = if site.sessions.is_signed_on(call.session) { "mi0200" } else { "mi0100" };
    if let Some(session) = site.sessions.get_mut(call.session)
        && let Some(wanted) = Wanted::of(&call.query).filter(|wanted| wanted.place.is_some())
    {
        session.bait = Some(wanted);
    }
    Reply::Page(skin::frameset(app.variant, first), StatusCode::OK)
}

/// Without a session the sign-on screen stands wherever it is needed.
fn at_door(app: &App, call: &Call<'_>, place: Place) -> Place {
    if app.site().sessions.is_signed_on(call.session) { place } else { Place::Mi0100 }
}

/// What comes instead of the answer, where a fault strikes at `place`; `screen` is what was asked for.
async fn instead(app: &App, call: &Call<'_>, place: Place, screen: Place) -> Option<Reply> {
    let request = call.request.as_ref()?;
    let late = Late { by: app.late_by, stopping: app.stopping.clone() };
    let signed_on = app.site().sessions.is_signed_on(call.session);
    Some(match app.faults.instead(place, signed_on, request, late).await? {
        Mode::SessionTimeout => {
            let mut site = app.site();
            site.sessions.get_mut(call.session)?.end();
            Reply::Screen(Box::new(screens::sign_on_again(&site, call.session)), StatusCode::OK)
        }
        Mode::NotAuthorized => Reply::Screen(Box::new(Screen::of_host(faulty::NOT_ENTITLED)), StatusCode::FORBIDDEN),
        Mode::AppError => Reply::Screen(Box::new(Screen::of_host(faulty::HOST_ERROR)), StatusCode::OK),
        _ => Reply::Page(skin::crash(&faulty::abend(screen)), StatusCode::INTERNAL_SERVER_ERROR),
    })
}

fn respond(app: &App, call: &Call<'_>, reply: Reply) -> Response {
    match reply {
        Reply::Screen(mut screen, status) => {
            let (signed_on, bait) = {
                let site = app.site();
                let of_session = site.sessions.get(call.session).and_then(|session| session.bait);
                let of_session = of_session.filter(|wanted| wanted.place == screen.place);
                let asked = Wanted::of(&call.query).filter(|wanted| wanted.place.is_none());
                (site.sessions.is_signed_on(call.session), asked.or(of_session).map(|wanted| wanted.bait))
            };
            if bait == Some(Bait::Redirect) {
                return redirect(&format!("{BASE}/admin/purge"));
            }
            if let Some(request) = &call.request {
                faulty::spoil(&mut screen, app.variant, &app.faults, request);
            }
            screen.tail.push_str(bait.map(Bait::markup).unwrap_or_default());
            (status, HTML, skin::page(&screen, app.variant, signed_on)).into_response()
        }
        Reply::Page(html, status) => (status, HTML, html).into_response(),
        Reply::GoTo(place) => redirect(&place),
        Reply::NotFound => (StatusCode::NOT_FOUND, "There is no such screen.\n").into_response(),
    }
}

fn redirect(to: &str) -> Response {
    (StatusCode::FOUND, [(LOCATION, to)]).into_response()
}

const HTML: [(HeaderName, &str); 2] = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "no-store")];
