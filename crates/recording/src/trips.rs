//! Side trips: what was looked at on the way and led back to where it began.

use waymark_artifact::Risk;
use waymark_snapshot::{Role, State, UiSnapshot};

use crate::{Deed, Did};

/// The deeds that are part of the job, with what they changed. A stretch of safe clicks after which the screen is what it
/// was before is a side trip; so is a click that changed nothing.
#[must_use]
pub fn without_trips(deeds: &[Deed]) -> (Vec<Deed>, Vec<String>) {
    let mut kept: Vec<Deed> = Vec::new();
    let mut left_out = Vec::new();
    for deed in deeds {
        if wanders(deed) && same_screen(&deed.before, &deed.after) {
            left_out.push(format!("{} changed nothing", words(deed)));
            continue;
        }
        kept.push(deed.clone());
        // The longest stretch that ends here and led back to its beginning.
        let back = (0..kept.len())
            .find(|from| kept[*from..].iter().all(wanders) && same_screen(&kept[*from].before, &deed.after));
        if let Some(from) = back.filter(|from| !is_baseline(&kept[*from..], deeds)) {
            for trip in kept.drain(from..) {
                left_out.push(format!("{} was a side trip", words(&trip)));
            }
        }
    }
    (kept, left_out)
}

/// Whether a trip before a risky deed went to where its record is looked for afterwards: what stood there before is part
/// of the proof.
fn is_baseline(trip: &[Deed], all: &[Deed]) -> bool {
    let Some(risky) = all.iter().position(|deed| deed.risk > Risk::Safe) else { return false };
    let before = |deed: &Deed| all[..risky].contains(deed);
    let later: Vec<Vec<String>> = all[risky + 1..].iter().map(|deed| page(&deed.after)).collect();
    trip.iter().any(|deed| before(deed) && later.contains(&page(&deed.after)))
}

/// The deeds before a risky one that led to where its record is seen after it.
pub(crate) fn baselines(deeds: &[Deed], risky: usize, record: usize) -> Vec<usize> {
    let seen = page(&deeds[record].after);
    (0..risky)
        .filter(|at| deeds[*at].risk == Risk::Safe && !matches!(deeds[*at].did, Did::Read { .. }))
        .filter(|at| page(&deeds[*at].after) == seen && page(&deeds[*at].before) != seen)
        .collect()
}

/// Whether any screen before the risky deed was the one on which its record shows.
pub(crate) fn looked_before(deeds: &[Deed], risky: usize, record: usize) -> bool {
    let seen = page(&deeds[record].after);
    deeds[..=risky].iter().any(|deed| page(&deed.before) == seen)
}

/// The addresses of a screen without what differs from visit to visit.
fn page(screen: &UiSnapshot) -> Vec<String> {
    let plain = |location: &str| location.split(['?', '#', ';']).next().unwrap_or_default().to_owned();
    screen.scopes().iter().map(|s| plain(&s.location)).collect()
}

/// Whether it is no more than a look elsewhere.
fn wanders(deed: &Deed) -> bool {
    matches!(deed.did, Did::Click { .. }) && deed.risk == Risk::Safe && deed.opened.is_none() && deed.dialogs.is_empty()
}

fn words(deed: &Deed) -> String {
    match deed.did.node() {
        Some(ix) => format!("pressing {}", waymark_perception::describe(&deed.before, ix)),
        None => "it".to_owned(),
    }
}

/// Whether two screens are the same to a person: addresses, texts, and what fields hold.
#[must_use]
pub fn same_screen(a: &UiSnapshot, b: &UiSnapshot) -> bool {
    let of = |screen: &UiSnapshot| {
        let scopes: Vec<(String, String)> =
            screen.scopes().iter().map(|s| (s.window.0.clone(), s.location.clone())).collect();
        let texts: Vec<(Role, String, Option<String>, [bool; 4])> = screen
            .nodes()
            .iter()
            .map(|n| {
                let states = [State::Checked, State::Expanded, State::Selected, State::Disabled].map(|s| n.is(s));
                (n.role.clone(), n.name.clone(), n.value.clone(), states)
            })
            .collect();
        (scopes, texts)
    };
    of(a) == of(b)
}
