//! Where a session may go.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use proptest::prelude::*;
use waymark_artifact::location_matches;
use waymark_policy::{Address, Pattern, Policy, PolicyTexts, RouteAsk};

const RISK: &str = include_str!("../../../config/risk_policy.yaml");

const ALLOWLIST: &str = r#"version: 1
allow:
  - name: members
    application: core
    origins: ["https://core.example", "http://127.0.0.1:*"]
    paths: ["/member/*", "/app/**", "/"]
    methods: [GET]
    actions: [open, click]
  - name: login
    application: core
    origins: ["https://core.example"]
    paths: ["/login.do"]
    methods: [GET, POST]
    actions: [open, click, type]
  - name: other
    application: other
    origins: ["https://other.example"]
    paths: ["/**"]
    methods: [GET]
    actions: [open]
deny:
  - name: administration
    paths: ["/**/admin/**", "/**/admin.htm"]
  - name: one-place
    origins: ["https://core.example"]
    paths: ["/app/secret"]
  - name: other-only
    application: other
    paths: ["/app/open"]
"#;

fn policy() -> Policy {
    Policy::load(PolicyTexts { allowlist: ALLOWLIST, risk: RISK }).unwrap()
}

/// Asks for `core` and tells the answer as `yes RULE` or `no RULE`. `text`: `METHOD kind address`.
fn check(ask: &str, expected: &str) {
    let mut parts = ask.splitn(3, ' ');
    let (method, kind, location) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
    let ask = RouteAsk { application: "core", location, method, document: kind == "document" };
    let answer = policy().route(&ask);
    let said = format!("{} {}", if answer.allowed { "yes" } else { "no" }, answer.rule);
    assert_eq!(said, expected, "of {method} {kind} {location}");
}

#[test]
fn a_document_needs_an_entry() {
    check("GET document https://core.example/member/1", "yes allow:members");
    check("GET document https://core.example/", "yes allow:members");
    check("GET document https://core.example", "yes allow:members");
    check("GET document https://core.example/app", "yes allow:members");
    check("GET document https://core.example/app/a/b/c?x=1#y", "yes allow:members");
    check("POST document https://core.example/login.do", "yes allow:login");
    check("POST document https://core.example/member/1", "no allowlist:method");
    check("get document https://core.example/member/1", "no allowlist:method");
    check("GET document https://core.example/members/1", "no allowlist:path");
    check("GET document https://other.example/", "no allowlist:origin");
}

#[test]
fn paths_are_compared_segment_by_segment() {
    check("GET document https://core.example/member/1/edit", "no allowlist:path");
    check("GET document https://core.example/member/1/admin", "no deny:administration");
    check("GET document https://core.example/member/", "yes allow:members");
    check("GET document https://core.example/member", "no allowlist:path");
    check("GET document https://core.example/application", "no allowlist:path");
    check("GET document https://core.example/Member/1", "no allowlist:path");
}

#[test]
fn session_ids_in_paths_are_left_out() {
    check("GET document https://core.example/login.do;jsessionid=0A1B", "yes allow:login");
    check("GET document https://core.example/member;x=/1;y=2?z", "yes allow:members");
    check("GET document https://core.example/;jsessionid=0A1B", "yes allow:members");
    check("GET document https://core.example/app/admin;x=1/y", "no deny:administration");
}

#[test]
fn an_origin_is_scheme_host_and_port() {
    check("GET document https://core.example:443/member/1", "yes allow:members");
    check("GET document HTTPS://CORE.EXAMPLE/member/1", "yes allow:members");
    check("GET document http://127.0.0.1/member/1", "yes allow:members");
    check("GET document http://127.0.0.1:8080/member/1", "yes allow:members");
    check("GET document http://core.example/member/1", "no allowlist:origin");
    check("GET document https://core.example:8443/member/1", "no allowlist:origin");
    check("GET document https://127.0.0.1/member/1", "no allowlist:origin");
    check("GET document https://core.example.evil.example/member/1", "no allowlist:origin");
    check("GET document https://evil-core.example/member/1", "no allowlist:origin");
    check("GET document http://[::1]/member/1", "no allowlist:origin");
    check("GET document http://[::ffff:127.0.0.1]/member/1", "no address");
}

#[test]
fn what_can_be_read_in_two_ways_is_refused() {
    for location in [
        "https://core.example@evil.example/member/1",
        "https://user:pass@core.example/member/1",
        "https://@core.example/member/1",
        "https://core.example./member/1",
        "https://core.example:/member/1",
        "https://core%2eexample/member/1",
        "https://ｃore.example/member/1",
        "https://core。example/member/1",
        "https:core.example/member/1",
        "https:/core.example/member/1",
        "https:///core.example/member/1",
        "https:\\\\core.example/member/1",
        "https://core.example\\member\\1",
        "https://core.example/member/1\\..\\admin",
        "https://core.example/member/..",
        "https://core.example/member/../member/1",
        "https://core.example/member/%2e%2e",
        "https://core.example/app/.%2E/x",
        "https://core.example/app/./x",
        "https://core.example/app/..;/x",
        "https://core.example/member/a%2fb",
        "https://core.example/member/a%5Cb",
        "https://core.example/member/a%3bb",
        "https://core.example/member/%252e%252e",
        "https://core.example/member/%00",
        "https://core.example/member/a%0ab",
        "https://core.example//member/1",
        "https://core.example/member//1",
        "https://core.example/member/ 1",
        "https://core.example/member/\t1",
        " https://core.example/member/1",
        "http://2130706433/member/1",
        "http://0x7f.0.0.1/member/1",
        "http://127.1/member/1",
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,hello",
        "file:///etc/passwd",
        "blob:https://core.example/550e8400",
        "filesystem:https://core.example/x",
        "view-source:https://core.example/member/1",
        "ftp://core.example/member/1",
        "about:config",
        "about:blank?x",
        "chrome://settings",
        "/member/1",
        "core.example/member/1",
        "",
    ] {
        check(&format!("GET document {location}"), "no address");
    }
    check(&format!("GET document https://core.example/app/{}", "x".repeat(9_000)), "no address");
}

#[test]
fn encoded_signs_are_compared_as_what_they_mean() {
    check("GET document https://core.example/%6Dember/1", "yes allow:members");
    check("GET document https://core.example/member/J%C3%BCrgen%20M", "yes allow:members");
    check("GET document https://core.example/member/J%FCrgen", "yes allow:members");
    check("GET document https://core.example/app/%61dmin/x", "no deny:administration");
}

#[test]
fn denied_is_denied_for_every_request_and_in_any_case() {
    for kind in ["document", "script"] {
        check(&format!("GET {kind} https://core.example/app/admin/users"), "no deny:administration");
        check(&format!("GET {kind} https://core.example/app/ADMIN/users"), "no deny:administration");
        check(&format!("GET {kind} https://core.example/app/Admin.htm?x"), "no deny:administration");
        check(&format!("GET {kind} https://core.example/app/secret"), "no deny:one-place");
    }
    check("GET document http://127.0.0.1:1/app/secret", "yes allow:members");
    check("GET document https://core.example/app/open", "yes allow:members");
    check("GET document https://core.example/app/administration", "yes allow:members");
    check("GET socket wss://core.example/app/admin/x", "no deny:administration");
}

#[test]
fn other_requests_need_no_entry() {
    check("GET script https://cdn.example/x.js", "yes not_denied");
    check("POST beacon http://127.0.0.1:8080/__oracle/event", "yes not_denied");
    check("GET image data:image/png;base64,AAAA", "yes local_data");
    check("GET socket ws://core.example/live", "yes not_denied");
    check("GET image file:///etc/passwd", "no address");
}

#[test]
fn nothing_leads_to_the_administration_of_the_console() {
    let shipped = include_str!("../../../config/allowlist.yaml");
    let policy = Policy::load(PolicyTexts { allowlist: shipped, risk: RISK }).unwrap();
    let rule = |location: &str, method, document| {
        policy.route(&RouteAsk { application: "meridian", location, method, document }).rule
    };
    for path in ["admin", "admin/", "admin/purge", "ADMIN/purge?x=1", "%61dmin/purge", "admin;a=b/purge"] {
        for (method, document) in [("GET", true), ("POST", true), ("GET", false), ("POST", false)] {
            let address = format!("http://127.0.0.1:8080/meridian/{path}");
            assert_eq!(rule(&address, method, document), "deny:administration", "{method} {address}");
        }
    }
    for crooked in ["./admin", "x/../admin/purge"] {
        assert_eq!(rule(&format!("http://127.0.0.1:8080/meridian/{crooked}"), "GET", false), "address");
    }
    assert_eq!(rule("http://127.0.0.1:8080/meridian/", "GET", true), "allow:meridian");
    assert_eq!(rule("http://localhost:1/meridian/tr0620", "POST", true), "allow:meridian");
    assert_ne!(rule("http://127.0.0.1:8080/parabank/overview.htm", "GET", true), "allow:meridian");
}

#[test]
fn the_browser_never_comes_to_the_hooks_of_a_stand_in() {
    let shipped = include_str!("../../../config/allowlist.yaml");
    let policy = Policy::load(PolicyTexts { allowlist: shipped, risk: RISK }).unwrap();
    let rule = |application, location: &str, method, document| {
        policy.route(&RouteAsk { application, location, method, document }).rule
    };
    for application in ["parabank", "meridian", "cases", "other"] {
        for (method, document) in [("GET", true), ("POST", true), ("GET", false), ("POST", false), ("DELETE", false)] {
            for address in [
                "http://127.0.0.1:8080/waymark-fixture",
                "http://127.0.0.1:8080/waymark-fixture/faults",
                "http://localhost/waymark-fixture/faults?x#y",
                "http://127.0.0.1:8080/Waymark-Fixture/FAULTS",
                "http://127.0.0.1:8080/waymark-fixture;a=b/faults",
                "http://127.0.0.1:8080/%77aymark-fixture/faults",
                "http://127.0.0.1:8080/__oracle/log?key=1",
                "http://127.0.0.1:8080/__oracle/clear",
            ] {
                let said = rule(application, address, method, document);
                assert_eq!(said, "deny:fixture_hooks", "{application} {method} {address}");
            }
        }
    }
    // What a page itself reports is heard.
    assert_eq!(rule("parabank", "http://127.0.0.1:8080/__oracle/event", "POST", false), "not_denied");
    assert_eq!(rule("parabank", "http://127.0.0.1:8080/__oracle/listen.js", "GET", false), "not_denied");
}

#[test]
fn documents_from_nowhere_are_let_through() {
    check("GET document about:blank", "yes blank_document");
    check("GET document about:srcdoc", "yes blank_document");
}

#[test]
fn an_application_has_only_its_own_entries() {
    let ask =
        |application| RouteAsk { application, location: "https://other.example/x", method: "GET", document: true };
    assert!(policy().route(&ask("other")).allowed);
    assert_eq!(policy().route(&ask("core")).rule, "allowlist:origin");
    assert_eq!(policy().route(&ask("unknown")).rule, "allowlist:application");
}

#[test]
fn globs_cover_what_is_denied() {
    let globs = policy().deny_patterns();
    for address in [
        "https://core.example/admin/x",
        "https://core.example/admin",
        "https://core.example/app/admin/x/y?z=1",
        "http://127.0.0.1:8080/a/b/admin.htm;jsessionid=1?x",
        "https://core.example/app;x=1/secret",
        "https://core.example:443/app/secret",
        "https://any.example/ADMIN/x",
        "https://any.example/a/Admin.Htm",
        "wss://any.example/admin/x",
    ] {
        assert!(globs.iter().any(|glob| glob_matches(glob, address)), "{address} by {globs:?}");
    }
    assert!(!globs.iter().any(|glob| glob_matches(glob, "https://core.example/parabank/bank.css")), "{globs:?}");
}

/// As the browser's request filter reads them.
fn glob_matches(glob: &str, text: &str) -> bool {
    match glob.split_once('*') {
        None => glob == text,
        Some((head, rest)) => text.strip_prefix(head).is_some_and(|text| {
            (0..=text.len()).any(|at| text.is_char_boundary(at) && glob_matches(rest, &text[at..]))
        }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn patterns_mean_here_what_they_mean_in_a_document(
        pattern in "(/(a|b|\\*|a\\*)){1,3}(/\\*\\*)?",
        path in "(/(a|b|ab)(;x=1)?){1,4}",
    ) {
        let here = Pattern::parse(&pattern).unwrap().matches(&Address::parse(&format!("http://h{path}")).unwrap());
        prop_assert_eq!(here, location_matches(&pattern, &path), "{} and {}", pattern, path);
    }

    #[test]
    fn no_address_leaves_the_paths_that_are_allowed(tail in "[a-z./%2eEfF5cC;\\\\?#@:]{0,12}") {
        let location = format!("https://core.example/member/{tail}");
        let policy = policy();
        let ask = RouteAsk { application: "core", location: &location, method: "GET", document: true };
        if policy.route(&ask).allowed {
            // What a browser makes of it.
            let url = url::Url::parse(&location).unwrap();
            prop_assert_eq!(url.host_str(), Some("core.example"));
            let segments: Vec<_> = url.path_segments().unwrap().collect();
            prop_assert!(segments.len() == 2 && segments[0] == "member", "{} became {}", location, url);
        }
    }
}
