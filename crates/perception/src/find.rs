//! One way to find, applied to one scope.

use waymark_artifact::{BindError, Bindings, Relation, Rung};
use waymark_snapshot::{Fold, Ix, Node, Role, ScopeId, UiSnapshot, fold, squash};

use crate::{RelationMiss, Spans, label_of, spans};

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
    let mut limits: Vec<Spans> = Vec::new();
    for relation in within {
        limits.push(spans(snapshot, scope, relation, bindings)?);
    }
    let mut table_with = None;
    if let Rung::Anchor { role, relation, .. } = rung {
        let spans = spans(snapshot, scope, relation, bindings)?;
        // A table does not lie in its rows and columns: it is the one that has them.
        let of_table = matches!(relation, Relation::Row { .. } | Relation::Column { .. } | Relation::Cell { .. });
        if role.is_table() && of_table {
            table_with = Some(spans);
        } else {
            limits.push(spans);
        }
    }
    let inside = |ix: Ix| limits.iter().all(|l| l.hold(snapshot, ix));
    let nodes = || snapshot.nodes_in(scope).filter(|(_, n)| n.role != Role::Text && n.role != Role::Window);
    let pick = |test: &dyn Fn(Ix, &Node) -> bool| -> Vec<Ix> {
        nodes().filter(|(ix, n)| test(*ix, n) && inside(*ix)).map(|(ix, _)| ix).collect()
    };
    Ok(match rung {
        Rung::RoleName { role, name } => {
            let name = squash(&bindings.text(name)?);
            pick(&|_, n| n.role == *role && squash(&n.name) == name)
        }
        Rung::RoleNameNormalized { role, name } => {
            let name = fold(&bindings.text(name)?, Fold::Folded);
            pick(&|_, n| n.role.same_class(role) && fold(&n.name, Fold::Folded) == name)
        }
        Rung::Label { role, label } => {
            let label = plain(&bindings.text(label)?);
            pick(&|ix, n| n.role == *role && label_of(snapshot, ix).is_some_and(|l| plain(&l) == label))
        }
        Rung::Anchor { role, name, .. } => {
            let name = name.as_ref().map(|n| bindings.text(n)).transpose()?.map(|n| squash(&n));
            pick(&|ix, n| {
                n.role == *role
                    && table_with.as_ref().is_none_or(|spans| has_cells(snapshot, ix, spans))
                    && name.as_ref().is_none_or(|name| {
                        squash(&n.name) == *name || (n.role.is_cell() && squash(&snapshot.text_of(ix)) == *name)
                    })
            })
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
