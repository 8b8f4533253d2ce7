use std::sync::Arc;

use waymark_snapshot::{Role, WindowKey};
use waymark_surface::{
    Act, Delivery, DialogKind, Fact, NotDelivered, RouteGuard, RouteRequest, RouteVerdict, Settling,
};

use super::{both, delivered, find, has_text};
use crate::SessionOptions;
use crate::common::{Answer, Open};

/// Refuses addresses that contain a word; panics where it is asked about another one.
struct Refusing;

impl RouteGuard for Refusing {
    fn decide(&self, request: &RouteRequest) -> RouteVerdict {
        assert!(!request.location.contains("/panic"), "a guard that breaks");
        if request.location.contains("/denied") {
            RouteVerdict::Refuse { rule: "no denied".into() }
        } else {
            RouteVerdict::Allow
        }
    }

    fn denied_patterns(&self) -> Vec<String> {
        vec!["*/denied*".into()]
    }
}

fn answer(accept: bool) -> Act {
    Act::AnswerDialog { window: WindowKey::main(), accept, text: None }
}

both! {
    a_confirm_is_told_and_answered_only_when_asked(tab) {
        tab.open(&tab.server.url("/D01.html")).await;
        assert_eq!(tab.click(Role::Button, "Delete").await, delivered());
        let seen = tab.until(|seen| seen.dialog.is_some()).await;
        let dialog = seen.dialog.clone().unwrap();
        assert_eq!((dialog.kind, dialog.text.as_str()), (DialogKind::Confirm, "Delete record 42?"));
        assert_eq!(seen.settling, Settling::Held);
        let node = find(&seen, &Role::Button, "Delete");
        assert_eq!(tab.act(Act::Click { node }).await, Delivery::NotDelivered(NotDelivered::DialogOpen));
        assert_eq!(tab.act(answer(true)).await, delivered());
        tab.until(has_text("deleted")).await;
        assert!(matches!(tab.act(answer(true)).await, Delivery::NotDelivered(NotDelivered::Unsupported { .. })));
    }

    two_dialogs_in_a_row_are_two(tab) {
        tab.open(&tab.server.url("/D02.html")).await;
        assert_eq!(tab.click(Role::Button, "Close").await, delivered());
        tab.until(|seen| seen.dialog.as_ref().is_some_and(|d| d.text.starts_with("Close"))).await;
        assert_eq!(tab.act(answer(true)).await, delivered());
        tab.until(|seen| seen.dialog.as_ref().is_some_and(|d| d.text.starts_with("Balance"))).await;
        assert_eq!(tab.act(answer(false)).await, delivered());
        let seen = tab.settled().await;
        assert_eq!(seen.snapshot.scopes()[0].title, "");
        let opened = tab.facts.iter().filter(|f| matches!(f, Fact::DialogOpened(_))).count();
        assert_eq!(opened, 2);
    }

    leaving_a_page_that_asks_is_a_dialog(tab) {
        tab.page("<button onclick=\"onbeforeunload=e=>{e.preventDefault();e.returnValue=1}\">Arm</button>").await;
        assert_eq!(tab.click(Role::Button, "Arm").await, delivered());
        let away = Act::Open { window: WindowKey::main(), location: tab.server.url("/D01.html") };
        assert_eq!(tab.act(away).await, delivered());
        let seen = tab.until(|seen| seen.dialog.is_some()).await;
        assert_eq!(seen.dialog.unwrap().kind, DialogKind::Leave);
        assert_eq!(tab.act(answer(true)).await, delivered());
        tab.until(has_text("none")).await;
    }

    a_window_that_opens_is_seen_driven_and_reported_when_it_closes(tab) {
        tab.server.answer("/pop", Answer::Page("<button onclick=\"opener.r.textContent='chosen';window.close()\">Take</button>".into()));
        tab.page("<button onclick=\"open('/pop','lookup','width=300,height=300')\">Look up</button><a href='/pop' target=_blank>More</a><p id=r>none</p>").await;
        assert_eq!(tab.click(Role::Button, "Look up").await, delivered());
        let seen = tab.until(|seen| seen.snapshot.nodes().iter().any(|n| n.name == "Take")).await;
        assert_eq!(seen.windows.len(), 2);
        assert_eq!(seen.windows[1].window, WindowKey("lookup".into()));
        assert_eq!(seen.windows[1].opener, Some(WindowKey::main()));
        assert_eq!(tab.click(Role::Button, "Take").await, delivered());
        tab.until(|seen| seen.windows.len() == 1 && has_text("chosen")(seen)).await;
        assert!(tab.facts.contains(&Fact::WindowClosed { window: WindowKey("lookup".into()) }), "{:?}", tab.facts);
        assert_eq!(tab.click(Role::Link, "More").await, delivered());
        let seen = tab.until(|seen| seen.windows.len() == 2).await;
        assert_eq!(seen.windows[1].window, WindowKey("window-3".into()));
        assert_eq!(tab.act(Act::CloseWindow { window: WindowKey("window-3".into()) }).await, delivered());
        assert_eq!(tab.look().await.windows.len(), 1);
    }

    the_guard_is_asked_for_documents_redirects_popups_and_denied_requests(tab) {
        tab.restart(SessionOptions { guard: Arc::new(Refusing), downloads: None }).await;
        tab.server.answer("/hop", Answer::Raw("HTTP/1.1 302 Found\r\nlocation: /denied?pin=1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".into()));
        tab.server.answer("/denied", Answer::Page("<p>never</p>".into()));
        tab.page("<a href='/hop'>Hop</a><button onclick=\"window.open('/denied')\">Pop</button><button onclick=\"fetch('/denied/x').catch(()=>{r.textContent='stopped'})\">Fetch</button><p id=r>idle</p>").await;
        assert_eq!(tab.click(Role::Button, "Fetch").await, delivered());
        tab.until(has_text("stopped")).await;
        assert_eq!(tab.click(Role::Button, "Pop").await, delivered());
        tab.until(|seen| seen.facts.iter().any(|f| matches!(f, Fact::RouteRefused { window, .. } if *window != WindowKey::main()))).await;
        assert_eq!(tab.click(Role::Link, "Hop").await, delivered());
        tab.until(|seen| seen.facts.iter().any(|f| matches!(f, Fact::RouteRefused { location, .. } if location.ends_with("/denied?pin=")))).await;
        let panics = Act::Open { window: WindowKey::main(), location: tab.server.url("/panic") };
        assert_eq!(tab.act(panics).await, delivered());
        tab.until(|seen| seen.facts.iter().any(|f| matches!(f, Fact::RouteRefused { rule, .. } if rule.contains("guard failed")))).await;
        let hits = tab.server.hits();
        assert!(!hits.iter().any(|hit| hit.contains("denied") || hit.contains("panic")), "{hits:?}");
    }

    workers_cannot_get_around_the_guard(tab) {
        tab.restart(SessionOptions { guard: Arc::new(Refusing), downloads: None }).await;
        let script = "HTTP/1.1 200 OK\r\ncontent-type: text/javascript\r\nconnection: close\r\n\r\n";
        tab.server.answer("/w.js", Answer::Raw(format!("{script}fetch('/denied/w').then(()=>postMessage('through'),()=>postMessage('stopped'))")));
        tab.server.answer("/s.js", Answer::Raw(format!("{script}onconnect=e=>fetch('/denied/s').then(()=>e.ports[0].postMessage('through'),()=>e.ports[0].postMessage('stopped'))")));
        tab.server.answer("/sw.js", Answer::Raw(format!("{script}onmessage=e=>fetch('/denied/v').then(()=>e.source.postMessage('through'),()=>e.source.postMessage('stopped'))")));
        tab.page("<p id=w></p><p id=s></p><p id=v></p><script>new Worker('/w.js').onmessage=e=>w.textContent='worker '+e.data;\
            const p=new SharedWorker('/s.js').port;p.onmessage=e=>s.textContent='shared '+e.data;\
            navigator.serviceWorker.onmessage=e=>v.textContent='service '+e.data;navigator.serviceWorker.register('/sw.js').then(()=>navigator.serviceWorker.ready).then(r=>r.active.postMessage(1))</script>").await;
        tab.until(|seen| ["worker stopped", "shared stopped", "service stopped"].iter().all(|t| has_text(t)(seen))).await;
        let hits = tab.server.hits();
        assert!(!hits.iter().any(|hit| hit.contains("denied")), "{hits:?}");
    }

    a_sign_in_prompt_is_refused_and_told(tab) {
        tab.server.answer("/core", Answer::Raw("HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Basic realm=\"core\"\r\ncontent-length: 4\r\nconnection: close\r\n\r\nnope".into()));
        let act = Act::Open { window: WindowKey::main(), location: tab.server.url("/core") };
        assert_eq!(tab.act(act).await, delivered());
        tab.settled().await;
        let origin = tab.server.url("");
        assert!(tab.facts.contains(&Fact::SignInAsked { origin, realm: "core".into() }), "{:?}", tab.facts);
        assert!(tab.facts.iter().any(|f| matches!(f, Fact::Document { status: Some(401), .. })), "{:?}", tab.facts);
    }

    documents_are_told_with_their_status_or_why_they_did_not_come(tab) {
        tab.server.answer("/broken", Answer::Raw("HTTP/1.1 500 Oops\r\ncontent-type: text/html\r\ncontent-length: 4\r\nconnection: close\r\n\r\nOops".into()));
        tab.open(&tab.server.url("/broken")).await;
        assert!(tab.facts.iter().any(|f| matches!(f, Fact::Document { status: Some(500), .. })), "{:?}", tab.facts);
        tab.facts.clear();
        let act = Act::Open { window: WindowKey::main(), location: "http://127.0.0.1:9/".into() };
        assert_eq!(tab.act(act).await, delivered());
        tab.settled().await;
        let failed: Vec<_> = tab.facts.iter().filter(|f| matches!(f, Fact::Document { error: Some(_), .. })).collect();
        assert_eq!(failed.len(), 1, "{:?}", tab.facts);
    }

    a_chooser_outside_of_an_upload_is_refused(tab) {
        tab.open(&tab.server.url("/C10.html")).await;
        assert_eq!(tab.click(Role::Button, "Attach").await, delivered());
        tab.until(|seen| seen.facts.iter().any(|f| matches!(f, Fact::ChooserRefused { .. }))).await;
    }

    a_download_lands_in_the_given_folder(tab) {
        let dir = std::env::temp_dir().join(format!("waymark-download-{}-{:?}", std::process::id(), tab.browser.kind()));
        std::fs::create_dir_all(&dir).unwrap();
        tab.restart(SessionOptions { guard: Arc::new(Open), downloads: Some(dir.clone()) }).await;
        tab.page("<a download='st.csv' href='data:text/csv,a;b'>Get</a>").await;
        assert_eq!(tab.click(Role::Link, "Get").await, delivered());
        tab.until(|seen| seen.facts.iter().any(|f| matches!(f, Fact::Download(d) if d.complete))).await;
        let path = tab.facts.iter().find_map(|f| match f {
            Fact::Download(d) if d.complete => Some((d.name.clone(), d.path.clone().unwrap())),
            _ => None,
        });
        let (name, path) = path.unwrap();
        assert_eq!((name.as_str(), std::fs::read_to_string(path).unwrap().as_str()), ("st.csv", "a;b"));
        std::fs::remove_dir_all(dir).unwrap();
    }
}
