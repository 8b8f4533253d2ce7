//! One way to find, applied to one scope.

use waymark_artifact::{BindError, Bindings, Relation, Rung, Side, Template};
use waymark_snapshot::{Fold, Ix, Node, Role, ScopeId, UiSnapshot, same, squash};

use crate::caption::{label_in, twin_in};
use crate::relation::{cell_beyond, spans_in};
use crate::sight::Sight;
use crate::{RelationMiss, Spans};

/// Why nothing can be said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    /// A relation means nothing here, so nothing is found.
    #[error(transparent)]
    Relation(#[from] RelationMiss),
    /// A reference stands for nothing.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The rung is not one that finds in a snapshot alone.
    #[error("a {0} rung does not find in a snapshot")]
    NotHere(&'static str),
}

/// Every node of the scope that the rung fits, in document order.
///
/// # Errors
/// A relation means nothing in this scope, or the rung needs more than a snapshot.
pub fn find(
    snapshot: &UiSnapshot,
    scope: ScopeId,
    rung: &Rung,
    within: &[Relation],
    bindings: &Bindings,
) -> Result<Vec<Ix>, FindError> {
    find_in(&Sight::new(snapshot), scope, rung, within, bindings)
}

pub(crate) fn find_in(
    sight: &Sight<'_>,
    scope: ScopeId,
    rung: &Rung,
    within: &[Relation],
    bindings: &Bindings,
) -> Result<Vec<Ix>, FindError> {
    let snapshot = sight.snapshot;
    let mut limits: Vec<Spans> = Vec::new();
    for relation in within {
        limits.push(spans_in(sight, scope, relation, bindings)?);
    }
    let mut table_with = None;
    if let Rung::Anchor { role, relation, .. } = rung {
        let spans = spans_in(sight, scope, relation, bindings)?;
        // A table does not lie in its rows and columns: it is the one that has them.
        let of_table = matches!(relation, Relation::Row { .. } | Relation::Column { .. } | Relation::Cell { .. });
        if role.is_table() && of_table {
            table_with = Some(spans);
        } else {
            limits.push(spans);
        }
    }
    let inside = |ix: Ix| limits.iter().all(|l| l.hold_in(sight, ix));
    // A bare text is a thing of its own only where it is asked for beside another one.
    let texts = matches!(rung, Rung::Anchor { role: Role::Text, relation: Relation::Adjacent { .. }, .. });
    let nodes = || snapshot.nodes_in(scope).filter(|(_, n)| (texts || n.role != Role::Text) && n.role != Role::Window);
    let pick = |test: &dyn Fn(Ix, &Node) -> bool| -> Vec<Ix> {
        nodes().filter(|(ix, n)| test(*ix, n) && inside(*ix)).map(|(ix, _)| ix).collect()
    };
    Ok(match rung {
        Rung::RoleName { role, name } => {
            let Some(name) = meant(name, bindings)? else { return Ok(Vec::new()) };
            pick(&|_, n| n.role == *role && same(&n.name, &name, Fold::Exact))
        }
        Rung::RoleNameNormalized { role, name } => {
            let Some(name) = meant(name, bindings)? else { return Ok(Vec::new()) };
            pick(&|_, n| n.role.same_class(role) && same(&n.name, &name, Fold::Folded))
        }
        Rung::Label { role, label } => {
            let label = plain(&bindings.text(label)?);
            let found = pick(&|ix, n| {
                n.role == *role && !label.is_empty() && label_in(sight, ix).is_some_and(|l| plain(&l) == label)
            });
            with_twins(sight, found)
        }
        Rung::Anchor { role, name, relation, .. } => {
            let name = match name {
                None => None,
                Some(name) => match meant(name, bindings)? {
                    None => return Ok(Vec::new()),
                    some => some,
                },
            };
            let found = pick(&|ix, n| {
                n.role == *role
                    && table_with.as_ref().is_none_or(|spans| has_cells(snapshot, ix, spans))
                    && name.as_ref().is_none_or(|name| {
                        same(&n.name, name, Fold::Exact) || (n.role.is_cell() && snapshot.text_is(ix, name))
                    })
            });
            match relation {
                Relation::Adjacent { side, .. } => with_values(sight, with_twins(sight, found), *side),
                _ => found,
            }
        }
        Rung::Ordinal { role, index, of } => {
            let all = pick(&|_, n| n.role == *role);
            // Another number than recorded: the position proves nothing any more.
            if all.len() == *of as usize && *index >= 1 {
                all.get(*index as usize - 1).copied().into_iter().collect()
            } else {
                Vec::new()
            }
        }
        Rung::NativeHint { .. } => return Err(FindError::NotHere("native_hint")),
        Rung::Vision { .. } => return Err(FindError::NotHere("vision")),
    })
}

/// And the fields that the same captions could mean as well.
fn with_twins(sight: &Sight<'_>, mut found: Vec<Ix>) -> Vec<Ix> {
    let twins: Vec<Ix> = found.iter().filter_map(|ix| twin_in(sight, *ix)).collect();
    found.extend(twins);
    found.sort_unstable();
    found.dedup();
    found
}

/// And the cells that the same caption could mean as well: figures of the same kind, one behind the other in its row.
fn with_values(sight: &Sight<'_>, mut found: Vec<Ix>, side: Side) -> Vec<Ix> {
    let snapshot = sight.snapshot;
    let words = |ix: Ix| -> String { snapshot.text_of(ix).chars().filter(|c| c.is_alphabetic()).collect() };
    let figures = |ix: Ix| snapshot.text_of(ix).contains(|c: char| c.is_ascii_digit());
    let mut more = Vec::new();
    for first in found.iter().copied().filter(|ix| snapshot.node(*ix).role.is_cell() && figures(*ix)) {
        let mut at = first;
        while let Some(next) = cell_beyond(sight, at, side) {
            if !figures(next) || words(next) != words(first) {
                break;
            }
            more.push(next);
            at = next;
        }
    }
    found.extend(more);
    found.sort_unstable();
    found.dedup();
    found
}

/// The name to look for. A reference that stands for an empty text means nothing; a name that was recorded empty
/// means the things without one.
fn meant(name: &Template, bindings: &Bindings) -> Result<Option<String>, BindError> {
    let text = squash(&bindings.text(name)?);
    Ok((!text.is_empty() || name.is_empty()).then_some(text))
}

/// Whether cells of the table lie in the spans.
fn has_cells(snapshot: &UiSnapshot, table: Ix, spans: &Spans) -> bool {
    let Spans::Ranges(ranges) = spans else { return false };
    ranges
        .iter()
        .flat_map(|(from, to)| from.0..to.0)
        .any(|i| snapshot.node(Ix(i)).cell.is_some_and(|c| c.table == table))
}

/// A caption without the colon or star that forms put behind it.
fn plain(label: &str) -> String {
    squash(squash(label).trim_end_matches([':', '*', ' ']))
}
