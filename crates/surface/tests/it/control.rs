//! The control token against a model of it, in any order of events.

use proptest::prelude::*;
use waymark_surface::{Control, ControlError, Driving, Holder};

/// Something that anybody may try at any time.
#[derive(Clone, Debug)]
enum Try {
    Check,
    Pause,
    Claim,
    /// With the epoch of so many claims ago.
    Release(usize),
    Resume,
    /// With the proof of another session.
    Foreign,
}

fn tries() -> impl Strategy<Value = Try> {
    prop_oneof![
        Just(Try::Check),
        Just(Try::Pause),
        Just(Try::Claim),
        (0..3_usize).prop_map(Try::Release),
        Just(Try::Resume),
        Just(Try::Foreign),
    ]
}

/// Who holds the token, as simple as it can be said.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Model {
    Engine,
    Nobody,
    Person,
}

fn holder(model: Model) -> Holder {
    match model {
        Model::Engine => Holder::Engine,
        Model::Nobody => Holder::Nobody,
        Model::Person => Holder::Person { name: "ann".into() },
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_token_is_held_by_one_and_every_change_is_a_new_epoch(tries in proptest::collection::vec(tries(), 1..60)) {
        let (mut control, driving) = Control::new();
        let mut proof: Option<Driving> = Some(driving);
        let mut model = Model::Engine;
        let mut epoch = 1;
        let mut claims: Vec<u64> = Vec::new();
        for step in tries {
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
                Try::Claim => match (control.claim("ann"), model) {
                    (Ok(now), Model::Nobody) => {
                        model = Model::Person;
                        epoch += 1;
                        prop_assert_eq!(now, epoch);
                        claims.push(now);
                    }
                    (Err(ControlError::Held { holder: by }), Model::Engine | Model::Person) => {
                        prop_assert_eq!(by, holder(model));
                    }
                    (got, _) => prop_assert!(false, "claim gave {:?} while {:?}", got, model),
                },
                Try::Release(ago) => {
                    let Some(claimed) = claims.iter().rev().nth(ago).copied() else { continue };
                    match (control.release(claimed), model) {
                        (Ok(()), Model::Person) if claimed == epoch => {
                            model = Model::Nobody;
                            epoch += 1;
                        }
                        (Err(ControlError::LeaseLost { presented, current }), Model::Person) if claimed != epoch => {
                            prop_assert_eq!((presented, current), (claimed, epoch));
                        }
                        (Err(ControlError::Held { .. }), Model::Engine | Model::Nobody) => {}
                        (got, _) => prop_assert!(false, "release gave {:?} while {:?}", got, model),
                    }
                }
                Try::Resume => match (control.resume(), model) {
                    (Ok(driving), Model::Nobody) => {
                        model = Model::Engine;
                        epoch += 1;
                        prop_assert_eq!(driving.epoch(), epoch);
                        proof = Some(driving);
                    }
                    (Err(ControlError::Held { .. }), Model::Engine | Model::Person) => {}
                    (got, _) => prop_assert!(false, "resume gave {:?} while {:?}", got, model),
                },
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
