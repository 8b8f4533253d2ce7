//! The control token against a model of it, in any order of what an engine, two operators and time may do.

use proptest::prelude::*;
use waymark_surface::{Control, ControlError, Driving, Hold, Holder};

const LEASE: u64 = 100;

/// Something that anybody may try at any time.
#[derive(Clone, Debug)]
enum Try {
    Check,
    Pause,
    Claim(&'static str),
    /// With the hold of so many claims ago, by whoever got it.
    Extend(usize),
    Release(usize),
    Act(usize),
    /// By nobody in particular, or with the hold of so many claims ago.
    Resume(Option<usize>),
    /// So much time passes.
    Wait(u64),
    /// An operator's program ends, and with it what it knew of its hold.
    Forget,
    /// With the proof of another session.
    Foreign,
}

fn tries() -> impl Strategy<Value = Try> {
    prop_oneof![
        1 => Just(Try::Check),
        3 => Just(Try::Pause),
        3 => prop_oneof![Just("ann"), Just("bo")].prop_map(Try::Claim),
        1 => (0..4_usize).prop_map(Try::Extend),
        1 => (0..4_usize).prop_map(Try::Release),
        2 => (0..4_usize).prop_map(Try::Act),
        2 => proptest::option::of(0..4_usize).prop_map(Try::Resume),
        1 => (1..2 * LEASE).prop_map(Try::Wait),
        1 => Just(Try::Forget),
        1 => Just(Try::Foreign),
    ]
}

/// Who holds the token, as simple as it can be said: the engine, nobody, or who until when.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Model {
    Engine,
    Nobody,
    Person(&'static str, u64),
}

fn holder(model: Model) -> Holder {
    match model {
        Model::Engine => Holder::Engine,
        Model::Nobody => Holder::Nobody,
        Model::Person(name, until_ms) => Holder::Person { name: name.into(), until_ms },
    }
}

/// Whether a hold may act: it is of this epoch, and that is a person's.
fn holds(hold: &Hold, model: Model, epoch: u64) -> bool {
    matches!(model, Model::Person(..)) && hold.epoch == epoch
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4_000, ..ProptestConfig::default() })]
    #[test]
    fn the_token_is_held_by_one_and_every_change_is_a_new_epoch(tries in proptest::collection::vec(tries(), 1..60)) {
        let (mut control, driving) = Control::new();
        let mut proof: Option<Driving> = Some(driving);
        let mut model = Model::Engine;
        let mut epoch = 1;
        let mut now = 0;
        let mut claims: Vec<Hold> = Vec::new();
        for step in tries {
            // What is asked after a lease is over finds nobody there.
            let over = matches!(model, Model::Person(_, until) if now >= until);
            if over && !matches!(step, Try::Wait(_) | Try::Forget | Try::Foreign | Try::Check | Try::Pause) {
                prop_assert_eq!(control.expire(now).is_some(), true);
                model = Model::Nobody;
                epoch += 1;
            }
            let ago = |n: usize| claims.iter().rev().nth(n).cloned();
            match step {
                Try::Check => {
                    if let Some(proof) = &proof {
                        prop_assert_eq!(control.check(proof), Ok(()));
                        prop_assert_eq!(proof.epoch(), epoch);
                    }
                }
                Try::Pause => {
                    if let Some(given) = proof.take() {
                        prop_assert_eq!(control.pause(given), Ok(()));
                        model = Model::Nobody;
                        epoch += 1;
                    }
                }
                Try::Claim(name) => match (control.claim(name, LEASE, now), model) {
                    (Ok(hold), Model::Nobody) => {
                        epoch += 1;
                        model = Model::Person(name, now + LEASE);
                        prop_assert_eq!(hold.epoch, epoch);
                        claims.push(hold);
                    }
                    // Whoever has it and claims it again keeps it.
                    (Ok(hold), Model::Person(who, _)) if who == name => {
                        model = Model::Person(name, now + LEASE);
                        prop_assert_eq!(hold.epoch, epoch);
                        claims.push(hold);
                    }
                    (Err(ControlError::Held { holder: by }), Model::Engine | Model::Person(..)) => {
                        prop_assert_eq!(by, holder(model));
                    }
                    (got, _) => prop_assert!(false, "claim gave {:?} while {:?}", got, model),
                },
                Try::Extend(n) => {
                    let Some(hold) = ago(n) else { continue };
                    let holds = holds(&hold, model, epoch);
                    prop_assert_eq!(control.extend(&hold, LEASE, now).is_ok(), holds);
                    if let (true, Model::Person(who, _)) = (holds, model) {
                        model = Model::Person(who, now + LEASE);
                    }
                }
                Try::Release(n) => {
                    let Some(hold) = ago(n) else { continue };
                    let holds = holds(&hold, model, epoch);
                    prop_assert_eq!(control.release(&hold, now).is_ok(), holds);
                    if holds {
                        model = Model::Nobody;
                        epoch += 1;
                    }
                }
                Try::Act(n) => {
                    let Some(hold) = ago(n) else { continue };
                    match control.check_person(&hold, now) {
                        Ok(()) => prop_assert!(holds(&hold, model, epoch), "{:?} acted while {:?}", hold, model),
                        Err(ControlError::LeaseLost { presented, current }) => {
                            prop_assert_eq!((presented, current), (hold.epoch, epoch));
                            prop_assert!(presented < current);
                        }
                        Err(error) => prop_assert!(false, "{:?} of a hold that was given", error),
                    }
                }
                Try::Resume(by) => {
                    let by = by.and_then(ago);
                    let may = match (&by, model) {
                        (None, model) => model == Model::Nobody,
                        (Some(hold), model) => holds(hold, model, epoch),
                    };
                    match control.resume(by.as_ref(), now) {
                        Ok(driving) => {
                            prop_assert!(may, "resumed by {:?} while {:?}", by, model);
                            model = Model::Engine;
                            epoch += 1;
                            prop_assert_eq!(driving.epoch(), epoch);
                            proof = Some(driving);
                        }
                        Err(_) => prop_assert!(!may, "not resumed by {:?} while {:?}", by, model),
                    }
                }
                Try::Wait(ms) => now += ms,
                Try::Forget => claims.clear(),
                Try::Foreign => {
                    let (_, foreign) = Control::new();
                    prop_assert_eq!(control.check(&foreign), Err(ControlError::Foreign));
                    prop_assert_eq!(control.pause(foreign), Err(ControlError::Foreign));
                }
            }
            prop_assert_eq!(control.holder(), &holder(model));
            prop_assert_eq!(control.epoch(), epoch);
            // A proof is there exactly while the engine holds the token.
            prop_assert_eq!(proof.is_some(), model == Model::Engine);
        }
    }
}

#[test]
fn a_lease_that_is_over_is_lost_by_whoever_held_it_and_free_for_the_next() {
    let (mut control, driving) = Control::new();
    assert_eq!(control.pause(driving), Ok(()));
    let ann = match control.claim("ann", 900_000, 5) {
        Ok(hold) => hold,
        Err(error) => panic!("{error}"),
    };
    assert_eq!(control.check_person(&ann, 900_004), Ok(()));
    assert_eq!(control.check_person(&ann, 900_005), Err(ControlError::LeaseLost { presented: 3, current: 4 }));
    assert_eq!(control.holder(), &Holder::Nobody);
    assert!(control.claim("bo", 900_000, 900_006).is_ok());
    let told = control.claim("ann", 900_000, 900_007).map_err(|error| error.to_string());
    assert_eq!(told, Err("bo drives".to_owned()));
    assert!(control.resume(Some(&ann), 900_008).is_err(), "what ann held is bo's now");
}
