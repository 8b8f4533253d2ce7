//! The driver fits the contract, passes the gate, and does nothing.
use std::pin::pin;
use std::process::Command;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use waymark_artifact::Risk;
use waymark_policy::{Grants, Mode, Policy, PolicyTexts};
use waymark_snapshot::{NodeId, Role, WindowKey};
use waymark_surface::{
    Act, Ask, ControlFacts, Delivery, Driver, DriverError, Gate, NotDelivered, Observe, PictureRequest,
};
use waymark_uia::{NotOnThisPlatform, UiaDriver};

const ALLOWLIST: &str = r#"version: 1
allow:
  - name: teller
    application: teller
    origins: ["http://teller.test"]
    paths: ["/**"]
    methods: [GET]
    actions: [click]
deny: []
"#;
const SECOND: Duration = Duration::from_secs(1);

/// The answer of something that never waits.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("it waits"),
    }
}

#[test]
fn looking_says_that_there_is_no_such_surface_here() {
    let mut driver = UiaDriver::new();
    let expected = |what: &'static str| DriverError::from(NotOnThisPlatform { what });
    assert_eq!(at_once(driver.observe(&Observe::default(), SECOND)), Err(expected("observe")));
    let request = PictureRequest { window: WindowKey::main(), hidden: std::sync::Arc::new(Nothing) };
    assert_eq!(at_once(driver.picture(&request, SECOND)), Err(expected("picture")));
    assert_eq!(
        expected("observe").to_string(),
        "observe failed: desktop applications cannot be driven on this platform by this version"
    );
    at_once(driver.close());
}

#[test]
fn an_act_that_the_gate_allows_is_not_delivered() -> Result<(), Box<dyn std::error::Error>> {
    let policy =
        Policy::load(PolicyTexts { allowlist: ALLOWLIST, risk: include_str!("../../../config/risk_policy.yaml") })?;
    let (mut gate, mut driving) =
        Gate::new(UiaDriver::new(), Arc::new(policy), "teller", Mode::Attended, Grants::default());
    let act = Act::Click { node: NodeId::new("42.1") };
    let ask = Ask {
        act: act.clone(),
        location: "http://teller.test/loans".into(),
        screen: None,
        control: Some(ControlFacts { role: Role::Link, name: "Next page".into(), native: "Hyperlink".into() }),
        declared: Risk::Safe,
        submit_like: false,
    };
    let pass = gate.authorize(&mut driving, &ask).map_err(|refusal| refusal.message)?;
    let delivery = at_once(gate.act(&mut driving, pass, &act, SECOND));
    let why = NotOnThisPlatform { what: "act" }.to_string();
    assert_eq!(delivery, Delivery::NotDelivered(NotDelivered::Unsupported { why }));
    Ok(())
}

#[test]
fn the_contract_is_not_tied_to_a_browser() -> Result<(), Box<dyn std::error::Error>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let tree = Command::new(cargo)
        .args([
            "tree",
            "--locked",
            "--offline",
            "--edges",
            "normal,build",
            "--prefix",
            "none",
            "--package",
            "waymark-uia",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()?;
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout)?;
    assert!(tree.contains("waymark-surface"), "{tree}");
    for browser in [
        "waymark-web",
        "chromiumoxide",
        "headless",
        "fantoccini",
        "thirtyfour",
        "playwright",
        "webdriver",
        "tungstenite",
    ] {
        assert!(!tree.contains(browser), "{browser} in\n{tree}");
    }
    Ok(())
}

/// Nothing must be hidden.
struct Nothing;

impl waymark_surface::Hidden for Nothing {
    fn nodes(&self, _: &waymark_snapshot::UiSnapshot) -> Vec<waymark_snapshot::NodeId> {
        Vec::new()
    }

    fn text(&self, _: &str) -> bool {
        false
    }

    fn any(&self) -> bool {
        false
    }
}
