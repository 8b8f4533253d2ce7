//! What follows from conditions alone.

use crate::{Artifact, Condition, Piece, Step, Subflow, SubflowBody, Template};

/// Whether a condition proves nothing: it looks at no screen, or fits every address of the application. Empty `all`
/// and `any` are another rule's matter.
pub(super) fn is_vacuous(condition: &Condition) -> bool {
    match condition {
        Condition::OutputNotEmpty { .. } => true,
        Condition::LocationMatches { pattern, .. } => fits_everything(pattern),
        Condition::All { of } => !of.is_empty() && of.iter().all(is_vacuous),
        Condition::Any { of } => of.iter().any(is_vacuous),
        _ => false,
    }
}

/// Whether a pattern has nothing but a variable before `**`.
fn fits_everything(pattern: &Template) -> bool {
    let text: String = pattern
        .pieces()
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.as_str(),
            Piece::Variable(_) => "",
            Piece::Parameter(_) => "parameter",
        })
        .collect();
    matches!(text.trim(), "" | "*" | "**" | "/**")
}

/// Whether something must be there, or must have happened.
pub(super) fn has_positive(condition: &Condition) -> bool {
    match condition {
        Condition::All { of } | Condition::Any { of } => of.iter().any(has_positive),
        Condition::Not { .. } | Condition::ElementAbsent { .. } | Condition::TextAbsent { .. } => false,
        _ => true,
    }
}

/// The things that a condition says to be there.
pub(super) fn positive_leaves(condition: &Condition) -> Vec<&Condition> {
    match condition {
        Condition::All { of } | Condition::Any { of } => of.iter().flat_map(positive_leaves).collect(),
        Condition::ElementPresent { .. }
        | Condition::ElementHasValue { .. }
        | Condition::ElementHasState { .. }
        | Condition::TextPresent { .. }
        | Condition::LocationMatches { .. }
        | Condition::TitleMatches { .. }
        | Condition::ScreenId { .. } => vec![condition],
        _ => Vec::new(),
    }
}

/// Whether the condition holds wherever these things are all there.
pub(super) fn follows_from(condition: &Condition, leaves: &[&Condition]) -> bool {
    match condition {
        Condition::All { of } => !of.is_empty() && of.iter().all(|part| follows_from(part, leaves)),
        Condition::Any { of } => of.iter().any(|part| follows_from(part, leaves)),
        leaf => leaves.contains(&leaf),
    }
}

/// Where a step stands.
pub(super) fn position(artifact: &Artifact, id: &crate::StepId) -> Option<usize> {
    artifact.steps.iter().position(|step| step.id == *id)
}

/// The steps of a sub-flow, where they are this document's own and in order.
pub(super) fn steps_of<'a>(artifact: &'a Artifact, subflow: &Subflow) -> Option<&'a [Step]> {
    match &subflow.body {
        SubflowBody::Steps { from, to } => artifact.steps.get(position(artifact, from)?..=position(artifact, to)?),
        SubflowBody::Capability { .. } => None,
    }
}
