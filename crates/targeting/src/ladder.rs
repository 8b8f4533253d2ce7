//! The ladder.

use std::collections::{BTreeMap, BTreeSet};

use waymark_artifact::{BindError, Bindings, Candidate, Fingerprint, Relation, Rung, RungKind, Target};
use waymark_perception::{FindError, Mismatch, PlaceMiss, RelationMiss, find, fingerprint_holds, place};
use waymark_snapshot::{Ix, NodeId, Role, ScopeId, UiSnapshot};

/// The number of the rule that this is.
pub const RULE: u32 = 1;

/// What the hints of a target found: by index of the candidate, handles in document order.
pub type Hints = BTreeMap<usize, Vec<NodeId>>;

/// A thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The node.
    pub node: Ix,
    /// Index of the rung that matched.
    pub rung: usize,
    /// Its kind.
    pub kind: RungKind,
    /// Rungs descended below the recorded one; a hint counts as one at least.
    pub drift: u32,
    /// Whether a hint of the ladder points elsewhere.
    pub hint_moved: bool,
    /// Whether a hint of the ladder leads to this very thing and to nothing else; `None` where the ladder has none.
    pub hint_matches: Option<bool>,
}

/// What one rung found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Index of the rung.
    pub rung: usize,
    /// Its kind.
    pub kind: RungKind,
    /// What it fits.
    pub matches: Vec<Ix>,
    /// Why nothing could be said.
    pub note: String,
}

/// What came of looking for a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// It is there.
    Found(Found),
    /// More than one thing fits the first rung that fits anything.
    Ambiguous {
        /// The attempts, the last one with the matches.
        attempts: Vec<Attempt>,
    },
    /// What fits is not what was recorded.
    FingerprintMismatch {
        /// The node.
        node: Ix,
        /// How it differs.
        mismatch: Mismatch,
        /// The attempts.
        attempts: Vec<Attempt>,
    },
    /// The table that the target's row should be in is there, and no row has its keys.
    RowAbsent {
        /// The keys in words.
        keys: String,
        /// The attempts.
        attempts: Vec<Attempt>,
    },
    /// Nothing fits.
    NotFound {
        /// The attempts.
        attempts: Vec<Attempt>,
    },
    /// The window or frame is not there.
    PlaceMissing {
        /// Why.
        miss: PlaceMiss,
    },
}

/// Finds a target in a snapshot.
///
/// Once a rung found the table and not the row, rungs that do not name the row are passed over: what they find
/// lies in another row.
///
/// # Errors
/// A reference of the target stands for nothing in this run.
pub fn resolve(
    target: &Target,
    snapshot: &UiSnapshot,
    hints: &Hints,
    bindings: &Bindings,
) -> Result<Resolution, BindError> {
    let scope = match place(snapshot, target.window.as_ref(), &target.frame, bindings) {
        Ok(scope) => scope,
        Err(PlaceMiss::Bind(error)) => return Err(error),
        Err(miss) => return Ok(Resolution::PlaceMissing { miss }),
    };
    let mut attempts: Vec<Attempt> = Vec::new();
    let mut row_absent: Option<Row> = None;
    for (rung, candidate) in target.candidates.iter().enumerate() {
        let kind = candidate.find.kind();
        let mut attempt = Attempt { rung, kind, matches: Vec::new(), note: String::new() };
        if row_absent.is_some() && !names_row(candidate) {
            attempt.note = "passed over: the row is not there".into();
            attempts.push(attempt);
            continue;
        }
        match matches(candidate, rung, snapshot, scope, hints, bindings)? {
            Ok(found) => attempt.matches = found,
            Err(Miss { note, row }) => {
                attempt.note = note;
                let told = row_absent.as_ref().is_none_or(|row| row.told);
                row_absent = row_absent.or(row.clone());
                if let (Some(known), Some(row)) = (&mut row_absent, row) {
                    known.told = told && row.told;
                }
            }
        }
        let (first, more) = (attempt.matches.first().copied(), attempt.matches.len() > 1);
        attempts.push(attempt);
        let Some(node) = first else { continue };
        if more {
            return Ok(Resolution::Ambiguous { attempts });
        }
        if let Some(mismatch) =
            check(candidate.fingerprint.as_ref().or(target.fingerprint.as_ref()), snapshot, node, kind, bindings)?
        {
            return Ok(Resolution::FingerprintMismatch { node, mismatch, attempts });
        }
        let hint_moved = hint_moved(target, snapshot, hints, node);
        let hint_matches = hint_matches(target, snapshot, hints, node);
        return Ok(Resolution::Found(Found { node, rung, kind, drift: drift(rung, kind), hint_moved, hint_matches }));
    }
    Ok(match row_absent {
        Some(Row { keys, told: true }) => Resolution::RowAbsent { keys, attempts },
        // What may be there is no answer that it is not.
        Some(Row { told: false, .. }) | None => Resolution::NotFound { attempts },
    })
}

struct Miss {
    note: String,
    row: Option<Row>,
}

/// A row that was not found.
#[derive(Clone)]
struct Row {
    keys: String,
    /// Whether it is certain that no row is it.
    told: bool,
}

/// Matches of one rung, or why nothing can be said by it.
fn matches(
    candidate: &Candidate,
    rung: usize,
    snapshot: &UiSnapshot,
    scope: ScopeId,
    hints: &Hints,
    bindings: &Bindings,
) -> Result<Result<Vec<Ix>, Miss>, BindError> {
    if candidate.find.kind() == RungKind::NativeHint {
        // The driver looked the hint up in the frame; relations still limit it.
        let wanted: BTreeSet<&NodeId> = hints.get(&rung).into_iter().flatten().collect();
        let thing = |role: &Role| !matches!(role, Role::Text | Role::Window);
        let mut found: Vec<Ix> = match wanted.is_empty() {
            true => Vec::new(),
            false => snapshot
                .nodes_in(scope)
                .filter(|(_, n)| thing(&n.role) && wanted.contains(&n.id))
                .map(|(ix, _)| ix)
                .collect(),
        };
        for relation in &candidate.within {
            match waymark_perception::spans(snapshot, scope, relation, bindings) {
                Ok(spans) => found.retain(|ix| spans.hold(snapshot, *ix)),
                Err(RelationMiss::Bind(error)) => return Err(error),
                Err(miss) => return Ok(Err(Miss { note: miss.to_string(), row: None })),
            }
        }
        return Ok(Ok(found));
    }
    match find(snapshot, scope, &candidate.find, &candidate.within, bindings) {
        Ok(found) => Ok(Ok(found)),
        Err(FindError::Bind(error) | FindError::Relation(RelationMiss::Bind(error))) => Err(error),
        Err(FindError::Relation(RelationMiss::RowAbsent(keys))) => {
            Ok(Err(Miss { note: format!("no row has {keys}"), row: Some(Row { keys, told: true }) }))
        }
        Err(FindError::Relation(miss @ RelationMiss::RowUntold(_))) => {
            let note = miss.to_string();
            Ok(Err(Miss { note, row: Some(Row { keys: String::new(), told: false }) }))
        }
        Err(error) => Ok(Err(Miss { note: error.to_string(), row: None })),
    }
}

/// Whether the candidate looks in one row only.
fn names_row(candidate: &Candidate) -> bool {
    let by_row = |relation: &Relation| matches!(relation, Relation::Row { .. } | Relation::Cell { .. });
    let anchored = matches!(&candidate.find, Rung::Anchor { relation, .. } if by_row(relation));
    anchored || candidate.within.iter().any(by_row)
}

fn check(
    fingerprint: Option<&Fingerprint>,
    snapshot: &UiSnapshot,
    node: Ix,
    kind: RungKind,
    bindings: &Bindings,
) -> Result<Option<Mismatch>, BindError> {
    match fingerprint {
        Some(recorded) => fingerprint_holds(snapshot, node, recorded, kind, bindings),
        // Position and hints say nothing about what a thing is.
        None if matches!(kind, RungKind::NativeHint | RungKind::Ordinal) => Ok(Some(Mismatch {
            part: "none",
            recorded: "no fingerprint".into(),
            found: snapshot.node(node).role.to_string(),
        })),
        None => Ok(None),
    }
}

fn drift(rung: usize, kind: RungKind) -> u32 {
    let descended = u32::try_from(rung).unwrap_or(u32::MAX);
    if kind == RungKind::NativeHint { descended.max(1) } else { descended }
}

fn hint_matches(target: &Target, snapshot: &UiSnapshot, hints: &Hints, node: Ix) -> Option<bool> {
    let rungs = target.candidates.iter().enumerate().filter(|(_, way)| way.find.kind() == RungKind::NativeHint);
    rungs
        .map(|(rung, _)| hints.get(&rung).is_some_and(|ids| *ids == [snapshot.node(node).id.clone()]))
        .reduce(|a, b| a || b)
}

fn hint_moved(target: &Target, snapshot: &UiSnapshot, hints: &Hints, node: Ix) -> bool {
    target.candidates.iter().enumerate().any(|(rung, candidate)| {
        candidate.find.kind() == RungKind::NativeHint
            && hints.get(&rung).is_some_and(|ids| !ids.is_empty() && !ids.contains(&snapshot.node(node).id))
    })
}
