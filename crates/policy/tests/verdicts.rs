//! How much harm an action can do, and what needs a yes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::LazyLock;

use waymark_artifact::Risk;
use waymark_policy::{
    ActionWord, Control, Grants, Mode, Policy, PolicyTexts, Proposed, Verdict, decide, key_submits, submit_like,
};
use waymark_snapshot::Role;

static POLICY: LazyLock<Policy> = LazyLock::new(|| {
    Policy::load(PolicyTexts {
        allowlist: include_str!("../../../config/allowlist.yaml"),
        risk: include_str!("../../../config/risk_policy.yaml"),
    })
    .unwrap()
});

const SAFE_CLICK: Proposed<'static> = Proposed {
    application: "parabank",
    action: ActionWord::Click,
    location: "http://127.0.0.1:8080/parabank/overview.htm",
    screen: None,
    control: Some(Control { role: &Role::Link, name: "Accounts Overview", native: "a" }),
    key: None,
    declared: Risk::Safe,
    submit_like: false,
    mode: Mode::Unattended,
    grants: Grants { approve_risk: None, artifact_approved: false, person_said_yes: false },
};

/// `ACTION [KEY] ROLE native "NAME" [in form] on PAGE` of ParaBank, and the class with what decided it.
fn check(what: &str, expected: &str) {
    let (head, rest) = what.split_once('"').unwrap();
    let (name, tail) = rest.split_once('"').unwrap();
    let mut words: Vec<&str> = head.split_whitespace().collect();
    let native = words.pop().unwrap();
    let role = Role::from_word(words.pop().unwrap());
    let key = words.get(1).copied();
    let action = ActionWord::ALL.into_iter().find(|action| action.as_str() == words[0]).unwrap();
    let in_form = tail.contains("in form");
    let page = tail.split_once("on ").unwrap().1;
    let submits = match (action, key) {
        (ActionWord::PressKey, Some(key)) => key_submits(key, &role, native, in_form),
        (ActionWord::Click, _) => submit_like(&role, native, in_form),
        _ => false,
    };
    let location = format!("http://127.0.0.1:8080/parabank/{page}");
    let assessment = POLICY.assess(&Proposed {
        action,
        location: &location,
        control: Some(Control { role: &role, name, native }),
        key,
        submit_like: submits,
        ..SAFE_CLICK
    });
    assert_eq!(format!("{} {}", assessment.risk.as_str(), assessment.rule), expected, "of {what}");
}

#[test]
fn looking_around_is_safe() {
    check("click link a \"Accounts Overview\" on overview.htm", "safe action:click");
    check("click link a \"12345\" on overview.htm", "safe action:click");
    check("type textbox input:text \"Username\" in form on index.htm", "safe action:type");
    check("choose combobox select \"Activity Period:\" in form on activity.htm", "safe action:choose");
    check("set_checked checkbox input:checkbox \"Delete on exit\" in form on x.htm", "safe action:set_checked");
    check("press_key Tab textbox input:text \"Username\" in form on index.htm", "safe action:press_key");
    check("scroll table table \"Accounts\" on overview.htm", "safe action:scroll");
}

#[test]
fn the_known_submits_that_only_look_are_safe() {
    check("click button input:submit \"Log In\" in form on index.htm", "safe rule:parabank-sign-on");
    check("click button input:submit \"Log In\" in form on login.htm;jsessionid=0A1B", "safe rule:parabank-sign-on");
    check("click button input:submit \"LOG  IN\" in form on transfer.htm", "safe rule:parabank-sign-on");
    check("click button input:submit \"Go\" in form on activity.htm?id=12345", "safe rule:parabank-activity-filter");
    check(
        "click button button:submit \"Find Transactions\" in form on findtrans.htm",
        "safe rule:parabank-find-transactions",
    );
}

/// The class of a button on a screen of the console, and the rule that says so.
fn on_console(native: &str, name: &str, screen: &str, expected: &str) {
    let role = Role::from_word("button");
    let location = format!("http://127.0.0.1:8080/meridian/{screen}");
    let control = Some(Control { role: &role, name, native });
    let proposed = Proposed { application: "meridian", location: &location, control, submit_like: true, ..SAFE_CLICK };
    let assessment = POLICY.assess(&proposed);
    assert_eq!(format!("{} {}", assessment.risk.as_str(), assessment.rule), expected, "{name} on {screen}");
}

#[test]
fn on_the_console_looking_is_safe_and_posting_is_irreversible_for_every_tenant() {
    let (a, b) = ("input:submit", "button:submit");
    on_console(a, "Sign On", "mi0100", "safe rule:meridian-sign-on");
    on_console(a, "Sign On", "tr0620", "safe rule:meridian-sign-on");
    on_console(a, "Inquire", "mi0210", "safe rule:meridian-inquiry");
    on_console(a, "Review", "tr0600", "safe rule:meridian-review");
    on_console(a, "Verify", "tr0610", "safe rule:meridian-verify");
    on_console(b, "Log On", "mi0100", "safe rule:meridian-b-sign-on");
    on_console(b, "Find", "mi0200", "safe rule:meridian-b-inquiry");
    on_console(b, "Look Over", "tr0600", "safe rule:meridian-b-review");
    for screen in ["tr0610", "tr0615", "elsewhere"] {
        on_console(a, "Post Transfer", screen, "irreversible rule:meridian-post");
        on_console(b, "Post Movement", screen, "irreversible rule:meridian-post");
    }
    on_console(a, "Open Account", "sa0500", "risky lexicon:open");
    on_console(b, "Create Suffix", "sa0500", "risky lexicon:create");
    on_console(a, "Save Note", "tn0700", "risky lexicon:save");
    on_console(a, "Purge Records", "admin", "irreversible lexicon:purge");
    on_console(b, "Erase Records", "admin", "irreversible lexicon:erase");
    on_console(a, "Proceed", "tr0610", "risky submit_like");
    on_console(a, "Verify", "tr0600", "risky submit_like");
    on_console(a, "Sign On", "admin/purge", "risky lexicon:sign");
}

#[test]
fn what_changes_something_stays_risky() {
    check("click button input:submit \"Transfer\" in form on transfer.htm", "irreversible rule:parabank-transfer");
    check("click button input:submit \"Transfer\" in form on billpay.htm", "risky lexicon:transfer");
    check("click button input:button \"Send Payment\" in form on billpay.htm", "risky lexicon:send");
    check("click button input:button \"Send Payment\" on billpay.htm", "risky lexicon:send");
    check("click button input:button \"Open New Account\" on openaccount.htm", "risky lexicon:open");
    check("click button input:button \"Apply Now\" on requestloan.htm", "risky lexicon:apply");
    check("click button input:submit \"Update Profile\" in form on updateprofile.htm", "risky lexicon:update");
    check("click button input:submit \"Register\" in form on register.htm", "risky lexicon:register");
    check("click button input:submit \"Send to Customer Care\" in form on contact.htm", "risky lexicon:send");
    check("click menuitem li \"Überweisen\" on x.htm", "risky lexicon:überweisen");
    check("upload button input:file \"Attachment\" in form on x.htm", "risky action:upload");
}

#[test]
fn what_cannot_be_taken_back_is_irreversible() {
    check("click button input:submit \"Delete\" in form on x.htm", "irreversible lexicon:delete");
    check("click button button:button \"DELETE…\" on x.htm", "irreversible lexicon:delete");
    check("click button button:button \"DeleteAll\" on x.htm", "irreversible lexicon:delete");
    check("click button button:button \"De\u{ad}le\u{200b}te\" on x.htm", "irreversible lexicon:delete");
    check("click button button:button \"Ｄｅｌｅｔｅ\" on x.htm", "irreversible lexicon:delete");
    check("click button button:button \"Save and purge log\" on x.htm", "irreversible lexicon:purge");
    check("click menuitem li \"Close  Account\" on x.htm", "irreversible lexicon:close account");
    check("click generic div \"Erase\" on x.htm", "irreversible lexicon:erase");
    check("click link button:button \"Delete\" on x.htm", "irreversible lexicon:delete");
    check("press_key Enter button button:button \"Delete\" on x.htm", "irreversible lexicon:delete");
}

#[test]
fn a_word_is_a_whole_word() {
    check("click button button:button \"Undeleted items\" on x.htm", "safe action:click");
    check("click button button:button \"Avoid\" on x.htm", "safe action:click");
    check("click button button:button \"Paypal info\" on x.htm", "safe action:click");
    check("click button button:button \"Account close-up\" on x.htm", "safe action:click");
}

#[test]
fn a_link_leads_somewhere() {
    check("click link a \"Open New Account\" on overview.htm", "safe action:click");
    check("click link a \"Open Sub-Account\" on x.htm", "safe action:click");
    check("click link a \"Transfer Funds\" on overview.htm", "safe action:click");
    check("click tab li \"Register\" on x.htm", "safe action:click");
    // A link that deletes is common, and leads nowhere.
    check("click link a \"Delete\" on x.htm", "risky lexicon:delete");
}

#[test]
fn a_submit_without_a_rule_is_risky() {
    check("click button input:submit \"Go\" in form on transfer.htm", "risky submit_like");
    check("click button button:submit \"Log In\" in form on index.htm", "risky submit_like");
    check("click link input:submit \"Log In\" in form on index.htm", "risky submit_like");
    check("click button input:submit \"Log In\" in form on sub/index.htm", "risky submit_like");
    check("click button input:submit \"Find Transactions\" in form on findtrans.htm", "risky submit_like");
    check("click img input:image \"\" on x.htm", "risky submit_like");
    check("click button button:button \"Weiter\" in form on x.htm", "risky submit_like");
    check("press_key Enter textbox input:password \"Password\" in form on index.htm", "risky submit_like");
    check("press_key Space button button:submit \"Weiter\" in form on index.htm", "risky submit_like");
}

#[test]
fn what_says_nothing_is_risky() {
    check("click button button:button \"\" on x.htm", "risky unnamed");
    check("click button button:button \"\u{200b} \" on x.htm", "risky unnamed");
    check("press_key F9 textbox input:text \"Amount\" on x.htm", "risky key:F9");
    check("press_key Control+s textbox input:text \"Amount\" on x.htm", "risky key:Control+s");
    check("press_key Enter textbox input:text \"Search\" on x.htm", "risky key:Enter");
    let assess = |proposed: Proposed<'_>| POLICY.assess(&proposed).rule;
    assert_eq!(assess(Proposed { control: None, ..SAFE_CLICK }), "unknown_control");
    assert_eq!(assess(Proposed { control: None, action: ActionWord::PressKey, ..SAFE_CLICK }), "key:unknown");
}

#[test]
fn only_a_yes_carries_out_what_a_dialog_asks() {
    let assess = |text: &str, yes: bool| {
        let control = Some(Control { role: &Role::Dialog, name: text, native: "" });
        let assessment =
            POLICY.assess(&Proposed { action: ActionWord::AnswerDialog, control, submit_like: yes, ..SAFE_CLICK });
        format!("{} {}", assessment.risk.as_str(), assessment.rule)
    };
    assert_eq!(assess("Really delete 5 records?", true), "irreversible lexicon:delete");
    assert_eq!(assess("Leave this page?", true), "risky submit_like");
    assert_eq!(assess("Really delete 5 records?", false), "safe action:answer_dialog");
}

#[test]
fn a_declaration_raises_and_never_lowers() {
    let log_in = Proposed {
        control: Some(Control { role: &Role::Button, name: "Log In", native: "input:submit" }),
        submit_like: true,
        ..SAFE_CLICK
    };
    let delete = Proposed { control: Some(Control { role: &Role::Button, name: "Delete", native: "" }), ..SAFE_CLICK };
    for (proposed, declared, expected) in [
        (SAFE_CLICK, Risk::Risky, (Risk::Risky, "declared")),
        (log_in, Risk::Safe, (Risk::Safe, "rule:parabank-sign-on")),
        (log_in, Risk::Risky, (Risk::Risky, "declared")),
        (log_in, Risk::Irreversible, (Risk::Irreversible, "declared")),
        (delete, Risk::Safe, (Risk::Irreversible, "lexicon:delete")),
        (delete, Risk::Irreversible, (Risk::Irreversible, "lexicon:delete")),
    ] {
        let assessment = POLICY.assess(&Proposed { declared, ..proposed });
        assert_eq!((assessment.risk, assessment.rule.as_str()), expected);
    }
}

#[test]
fn a_rule_is_for_its_application_alone() {
    let log_in = Control { role: &Role::Button, name: "Log In", native: "input:submit" };
    let proposed = Proposed { application: "cases", control: Some(log_in), submit_like: true, ..SAFE_CLICK };
    assert_eq!(POLICY.assess(&proposed).rule, "submit_like");
}

#[test]
fn a_rule_takes_back_risky_words_but_no_irreversible_ones_and_can_raise() {
    let allowlist = include_str!("../../../config/allowlist.yaml");
    let shipped = include_str!("../../../config/risk_policy.yaml").split("rules:").next().unwrap();
    let risk = format!(
        "{shipped}rules:
  - {{name: calm, application: parabank, screen: {{ids: [S1]}}, control: {{role: button, names: [Save filter, Delete filter]}}, class: safe}}
  - {{name: alarm, application: parabank, control: {{role: button, names: [Refresh]}}, class: irreversible}}
  - {{name: file, application: parabank, screen: {{ids: [S1]}}, control: {{role: button, names: [Attach]}}, class: safe}}
"
    );
    let policy = Policy::load(PolicyTexts { allowlist, risk: &risk }).unwrap();
    let assess = |name: &str, screen: Option<&str>, action: ActionWord| {
        let control = Some(Control { role: &Role::Button, name, native: "button:submit" });
        policy.assess(&Proposed { action, control, screen, submit_like: true, ..SAFE_CLICK }).rule
    };
    assert_eq!(assess("Save filter", Some("S1"), ActionWord::Click), "rule:calm");
    assert_eq!(assess("Save filter", Some("S2"), ActionWord::Click), "lexicon:save");
    assert_eq!(assess("Save filter", None, ActionWord::Click), "lexicon:save");
    assert_eq!(assess("Delete filter", Some("S1"), ActionWord::Click), "lexicon:delete");
    assert_eq!(assess("Refresh", None, ActionWord::Click), "rule:alarm");
    assert_eq!(assess("Attach", Some("S1"), ActionWord::Upload), "submit_like");
}

#[test]
fn submits_are_told_by_kind_and_place() {
    for (role, native, in_form, expected) in [
        (Role::Button, "input:submit", false, true),
        (Role::Button, "button:submit", false, true),
        (Role::Image, "input:image", false, true),
        (Role::Button, "button:button", true, true),
        (Role::Button, "div", true, true),
        (Role::Button, "button:button", false, false),
        (Role::Button, "input:reset", true, false),
        (Role::Link, "a", true, false),
        (Role::TextBox, "input:text", true, false),
    ] {
        assert_eq!(submit_like(&role, native, in_form), expected, "{role} {native} {in_form}");
    }
    for (key, native, in_form, expected) in [
        ("Enter", "input:text", true, true),
        ("Control+Enter", "textarea", true, true),
        ("NumpadEnter", "input:text", true, true),
        ("Enter", "input:text", false, false),
        ("Tab", "input:text", true, false),
        ("Space", "input:text", true, false),
    ] {
        assert_eq!(key_submits(key, &Role::TextBox, native, in_form), expected, "{key} {native} {in_form}");
    }
}

/// Every class in every mode under every grant: `+` is done, `?` asks.
#[test]
fn the_table_of_verdicts_holds() {
    use Mode::{Attended, Unattended};
    let none = Grants::default();
    let approved = Grants { artifact_approved: true, ..none };
    let opted = |class| Grants { approve_risk: Some(class), ..none };
    let both = |class| Grants { approve_risk: Some(class), ..approved };
    let yes = Grants { person_said_yes: true, ..none };
    for (mode, grants, expected) in [
        (Attended, none, "++?"),
        (Attended, approved, "++?"),
        (Attended, opted(Risk::Irreversible), "++?"),
        (Attended, both(Risk::Risky), "++?"),
        (Attended, both(Risk::Irreversible), "+++"),
        (Attended, yes, "+++"),
        (Unattended, none, "+??"),
        (Unattended, approved, "+??"),
        (Unattended, opted(Risk::Safe), "+??"),
        (Unattended, opted(Risk::Risky), "++?"),
        (Unattended, opted(Risk::Irreversible), "++?"),
        (Unattended, both(Risk::Risky), "++?"),
        (Unattended, both(Risk::Irreversible), "+++"),
        (Unattended, yes, "+++"),
    ] {
        let verdicts: String = [Risk::Safe, Risk::Risky, Risk::Irreversible]
            .into_iter()
            .map(|declared| match decide(&POLICY, &Proposed { declared, mode, grants, ..SAFE_CLICK }) {
                Verdict::Allow { assessment, entry } => {
                    assert_eq!((assessment.risk, entry.as_str()), (declared, "allow:parabank"));
                    '+'
                }
                Verdict::NeedsApproval { assessment, code } => {
                    assert_eq!((assessment.risk, code), (declared, "risk_approval"));
                    '?'
                }
                Verdict::Refuse { rule, .. } => panic!("{rule}"),
            })
            .collect();
        assert_eq!(verdicts, expected, "{mode:?} {grants:?}");
    }
}

#[test]
fn the_place_is_asked_before_the_risk() {
    let all = Grants { approve_risk: Some(Risk::Irreversible), artifact_approved: true, person_said_yes: true };
    let refused = |proposed: Proposed<'_>| match decide(&POLICY, &Proposed { grants: all, ..proposed }) {
        Verdict::Refuse { code, rule, .. } => {
            assert_eq!(code, "policy_blocked");
            rule
        }
        other => panic!("{other:?}"),
    };
    let at = |location| Proposed { location, ..SAFE_CLICK };
    assert_eq!(refused(at("http://127.0.0.1:8080/parabank/admin.htm")), "deny:administration");
    assert_eq!(refused(at("http://127.0.0.1:8080/other/")), "allowlist:path");
    assert_eq!(refused(at("https://evil.example/parabank/")), "allowlist:origin");
    assert_eq!(refused(at("javascript:void(0)")), "address");
    assert_eq!(refused(Proposed { application: "cases", ..SAFE_CLICK }), "allowlist:path");
    assert_eq!(refused(Proposed { application: "", ..SAFE_CLICK }), "allowlist:application");
    assert_eq!(refused(Proposed { action: ActionWord::Open, ..at("about:blank") }), "address");
    assert!(matches!(decide(&POLICY, &at("about:srcdoc")), Verdict::Allow { entry, .. } if entry == "blank_document"));
}

#[test]
fn an_action_that_is_not_listed_is_refused() {
    let allowlist = r#"version: 1
allow:
  - {name: read, application: parabank, origins: ["http://127.0.0.1:*"], paths: ["/parabank/**"], methods: [GET], actions: [open, click]}
deny: []
"#;
    let policy =
        Policy::load(PolicyTexts { allowlist, risk: include_str!("../../../config/risk_policy.yaml") }).unwrap();
    for location in [SAFE_CLICK.location, "about:blank"] {
        let typed = decide(&policy, &Proposed { action: ActionWord::Type, location, ..SAFE_CLICK });
        assert!(
            matches!(typed, Verdict::Refuse { rule, message, .. } if rule == "allowlist:action" && message.contains("`type`"))
        );
    }
    assert!(matches!(decide(&policy, &SAFE_CLICK), Verdict::Allow { .. }));
}

#[test]
fn the_fixtures_and_only_they_are_allowed_as_shipped() {
    let open = |application, location| {
        matches!(
            decide(&POLICY, &Proposed { application, action: ActionWord::Open, location, control: None, ..SAFE_CLICK }),
            Verdict::Allow { .. }
        )
    };
    assert!(open("parabank", "http://localhost:1234/parabank/index.htm"));
    assert!(open("cases", "http://localhost:1234/A01.html"));
    assert!(!open("cases", "http://localhost:1234/__oracle/log?key=1"));
    assert!(!open("cases", "http://localhost:1234/parabank/index.htm"));
    assert!(!open("parabank", "http://localhost.evil.example/parabank/index.htm"));
}
