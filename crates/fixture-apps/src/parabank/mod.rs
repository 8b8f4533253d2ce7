//! The offline stand-in for ParaBank: the same structure, our own words, markup and code.
//!
//! Kept on purpose: "No transactions found." is visible until the answer comes; error blocks are
//! in the page from the start, hidden; ids occur twice or are random; money has no thousands
//! separators; a protected page without a session shows the login form at its own address.
//! `john`/`demo` is customer 12212, `parasoft`/`demo` customer 12323; the date is [`bank::TODAY`].

pub mod bank;
mod control;
mod faulty;
mod forms;
mod pages;
mod proxy;
mod seed;
mod statics;
mod view;
mod visit;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, SET_COOKIE};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::faults::{Faults, Place, Struck};
use crate::log::Log;
use crate::server::{
    self, Application, Delays, Options, Running, StartError, Stopping, fields, form_of, without_parameters,
};
use bank::Bank;
use faulty::Instead;
use pages::Answer;
use view::Page;
use visit::{COOKIE_NAME, Sessions, Visit};

/// Serves the application at `http://127.0.0.1:PORT/parabank`, each instance with its own state.
pub async fn serve_parabank(options: Options) -> Result<Running, StartError> {
    let application = Application { name: "parabank", base_path: CONTEXT, places: Place::of_parabank() };
    server::serve(application, options.port, options.faults, |stopping, faults, log| {
        let bank = Bank::seeded(options.password.as_deref());
        let site = Site { bank, sessions: Sessions::default() };
        let app = App { state: Arc::new(Mutex::new(site)), delays: options.delays, faults, log, stopping };
        Router::new().fallback(answer).with_state(app)
    })
    .await
}

const CONTEXT: &str = "/parabank";
const BODY_LIMIT: usize = 1 << 20;

#[derive(Clone)]
struct App {
    state: Arc<Mutex<Site>>,
    delays: Delays,
    faults: Faults,
    log: Log,
    stopping: Stopping,
}

impl App {
    fn site(&self) -> MutexGuard<'_, Site> {
        // A handler that panicked leaves at worst one half-booked transfer of a fictional bank.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Site {
    bank: Bank,
    sessions: Sessions,
}

async fn answer(State(app): State<App>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let raw_path = parts.uri.path();
    let path = without_parameters(raw_path);
    let query = parts.uri.query().unwrap_or_default();
    let Ok(body) = to_bytes(body, BODY_LIMIT).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };

    let request = faulty::request_of(&parts);
    if let Some(resource) = path.strip_prefix("/parabank/services_proxy/bank/") {
        let visit = app.site().sessions.find(&parts.headers, raw_path);
        let call = proxy::Call { method: &parts.method, resource, query, body: &body };
        return proxy::answer(&app, visit.as_ref(), request.as_ref(), call).await;
    }
    if let Some(file) = path.strip_prefix("/parabank/").and_then(statics::find) {
        return file;
    }

    let begin = || app.site().sessions.find_or_begin(&parts.headers, raw_path);
    let mut visit = match begin() {
        Ok(visit) => visit,
        Err(error) => return no_session(&error),
    };
    let mut instead = None;
    if let (Some(request), Some(place)) = (&request, faulty::page(&path, &visit)) {
        instead = faulty::instead(&app, place, &visit, request).await;
        // While it waited, or because of it, the session may have ended.
        if app.site().sessions.is_known(&visit.session) {
            visit.customer = app.site().sessions.customer(&visit.session);
        } else {
            visit = match begin() {
                Ok(visit) => visit,
                Err(error) => return no_session(&error),
            };
        }
    }
    let mut site = app.site();
    let answer = match instead {
        Some(Instead::Broken) => Answer::Fail(StatusCode::INTERNAL_SERVER_ERROR, pages::INTERNAL_ERROR),
        Some(Instead::Refused) => Answer::Fail(StatusCode::FORBIDDEN, faulty::NOT_AUTHORIZED),
        Some(Instead::LoggedOut) | None => pages::answer(
            &mut site,
            &pages::Ask {
                visit: &visit,
                path: &path,
                query: fields(query.as_bytes()),
                form: form_of(&parts.headers, &body),
                is_post: parts.method == "POST",
            },
        ),
    };
    let spoil = request.as_ref().map(|request| (&app.faults, request));
    respond(&site, visit, answer, &path, query, spoil)
}

fn no_session(error: &getrandom::Error) -> Response {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response()
}

fn respond(
    site: &Site,
    mut visit: Visit,
    answer: Answer,
    path: &str,
    query: &str,
    faults: Option<(&Faults, &Struck)>,
) -> Response {
    // A page may have logged the visitor in or out, so who is there is asked again.
    visit.customer = site.sessions.customer(&visit.session);
    let spoiled = |html: String, place: Option<Place>| match (faults, place) {
        (Some((faults, request)), Some(place)) => faulty::spoil(html, place, faults, request),
        _ => html,
    };
    let mut response = match answer {
        Answer::Show(page) => {
            let html = spoiled(document(site, &visit, &page, None), faulty::page(path, &visit));
            (StatusCode::OK, HTML, html).into_response()
        }
        Answer::Fail(status, message) => {
            (status, HTML, document(site, &visit, &Page::error(message), None)).into_response()
        }
        Answer::NotFound => {
            let page = Page::error(&format!("The requested page {path} was not found on the server."));
            (StatusCode::NOT_FOUND, HTML, document(site, &visit, &page, None)).into_response()
        }
        Answer::LogInFirst => {
            let mut forward = path.strip_prefix(CONTEXT).unwrap_or(path).to_owned();
            if !query.is_empty() {
                forward = format!("{forward}?{query}");
            }
            let page = Page::new("Log In", view::template::LOGIN_FORM, &[]);
            let html = spoiled(document(site, &visit, &page, Some(&forward)), Some(Place::Login));
            (StatusCode::OK, HTML, html).into_response()
        }
        Answer::GoTo(target) => {
            let (path, query) = target.split_at(target.find('?').unwrap_or(target.len()));
            let location = format!("{CONTEXT}{path}{}{query}", visit.suffix());
            (StatusCode::FOUND, [(LOCATION, location)]).into_response()
        }
    };
    if visit.is_new
        && let Ok(cookie) = format!("{COOKIE_NAME}={}; Path={CONTEXT}; HttpOnly", visit.session).parse()
    {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

fn document(site: &Site, visit: &Visit, page: &Page, forward: Option<&str>) -> String {
    let customer = visit.customer.and_then(|id| site.bank.customer(id));
    view::document(page, visit, customer, forward)
}

const HTML: [(HeaderName, &str); 2] = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CACHE_CONTROL, "no-store")];
