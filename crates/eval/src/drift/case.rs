//! What is tried: one change of the page of one step of one capability, by one seed.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::EvalError;

/// How a page is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mutation {
    /// All ids and classes get other names; the page's own code knows them.
    RenameNames,
    /// The target and some other elements get elements around them.
    Wrap,
    /// Elements around the target and others are taken away, what is in them stays.
    Unwrap,
    /// Rows, list items, columns or blocks come in another order; what belongs together stays together.
    Reorder,
    /// The table around the target is made of `div`s that look the same.
    TablesToDivs,
    /// Something like the target stands before it.
    LookAlikeBefore,
    /// Something like the target stands behind it.
    LookAlikeAfter,
    /// Words of the page, or of the target alone, are in another language.
    TranslateLabels,
    /// The target and its caption stand in another container.
    MoveField,
    /// The target is not there.
    DeleteTarget,
    /// A banner, at one of several places.
    Banner,
    /// The target or what it stands in comes later.
    Delay,
    /// For tests of the trial itself: what the engine goes by is given to another element.
    Planted,
}

impl Mutation {
    /// All that a trial makes, in its order.
    pub const ALL: [Mutation; 12] = [
        Mutation::RenameNames,
        Mutation::Wrap,
        Mutation::Unwrap,
        Mutation::Reorder,
        Mutation::TablesToDivs,
        Mutation::LookAlikeBefore,
        Mutation::LookAlikeAfter,
        Mutation::TranslateLabels,
        Mutation::MoveField,
        Mutation::DeleteTarget,
        Mutation::Banner,
        Mutation::Delay,
    ];

    /// Whether it is a change of the page, also where no element of it is touched.
    pub(crate) fn needs_no_target(self) -> bool {
        use Mutation::{Banner, Delay, RenameNames, Reorder, TablesToDivs, TranslateLabels, Unwrap, Wrap};
        matches!(self, RenameNames | Wrap | Unwrap | Reorder | TablesToDivs | TranslateLabels | Banner | Delay)
    }

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Mutation::RenameNames => "rename_names",
            Mutation::Wrap => "wrap",
            Mutation::Unwrap => "unwrap",
            Mutation::Reorder => "reorder",
            Mutation::TablesToDivs => "tables_to_divs",
            Mutation::LookAlikeBefore => "look_alike_before",
            Mutation::LookAlikeAfter => "look_alike_after",
            Mutation::TranslateLabels => "translate_labels",
            Mutation::MoveField => "move_field",
            Mutation::DeleteTarget => "delete_target",
            Mutation::Banner => "banner",
            Mutation::Delay => "delay",
            Mutation::Planted => "planted",
        }
    }
}

/// One run. As text: `CAPABILITY/STEP/MUTATION/SEED`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) capability: String,
    pub(crate) step: String,
    pub(crate) mutation: Mutation,
    pub(crate) seed: u64,
}

impl Case {
    /// The number that the page draws from: the case decides it, so the same case is the same page.
    pub(crate) fn chance(&self) -> u32 {
        let mut mixed = self.seed ^ 0x9e37_79b9_7f4a_7c15;
        for byte in format!("{}/{}/{}", self.capability, self.step, self.mutation.word()).bytes() {
            mixed = mixed.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte);
        }
        u32::try_from((mixed ^ (mixed >> 32)) & 0xffff_ffff).unwrap_or_default()
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}/{}", self.capability, self.step, self.mutation.word(), self.seed)
    }
}

impl FromStr for Case {
    type Err = EvalError;

    fn from_str(text: &str) -> Result<Self, EvalError> {
        let wrong = || EvalError::Asked(format!("`{text}` is no case: CAPABILITY/STEP/MUTATION/SEED"));
        let parts: Vec<&str> = text.split('/').collect();
        let [capability, step, word, seed] = parts.as_slice() else { return Err(wrong()) };
        let mut known = Mutation::ALL.into_iter().chain([Mutation::Planted]);
        let mutation = known.find(|mutation| mutation.word() == *word).ok_or_else(wrong)?;
        let seed = seed.parse().map_err(|_| wrong())?;
        Ok(Case { capability: (*capability).to_owned(), step: (*step).to_owned(), mutation, seed })
    }
}

/// A step that cases are made of.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) capability: String,
    pub(crate) step: String,
    /// Whether it has an element of its own.
    pub(crate) target: bool,
}

impl Step {
    fn cases(&self, seed: u64) -> impl Iterator<Item = Case> + '_ {
        let fit = Mutation::ALL.into_iter().filter(|mutation| self.target || mutation.needs_no_target());
        fit.map(move |mutation| Case { capability: self.capability.clone(), step: self.step.clone(), mutation, seed })
    }
}

/// As many of all as wanted, spread by the seed over steps and mutations; where there are fewer, each again by further seeds.
pub(crate) fn chosen(steps: &[Step], seed: u64, wanted: Option<usize>) -> Vec<Case> {
    let round = |seed: u64| steps.iter().flat_map(move |step| step.cases(seed)).collect::<Vec<Case>>();
    let wanted = wanted.unwrap_or_else(|| round(seed).len());
    let mut all = Vec::new();
    let mut next = seed;
    while all.len() < wanted && !steps.is_empty() {
        let mut cases = round(next);
        if all.len() + cases.len() > wanted {
            cases.sort_by_key(|case| (case.chance(), case.to_string()));
            cases.truncate(wanted - all.len());
        }
        all.extend(cases);
        next = next.wrapping_add(1);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_read_as_it_is_written() -> Result<(), EvalError> {
        let case: Case = "a.b/press_go/look_alike_before/7".parse()?;
        assert_eq!(case.to_string(), "a.b/press_go/look_alike_before/7");
        assert!("a.b/press_go/dance/7".parse::<Case>().is_err());
        Ok(())
    }

    #[test]
    fn a_slice_is_the_same_by_its_seed_and_another_by_another() {
        let step = |at: u32| Step { capability: "a.b".to_owned(), step: format!("step_{at}"), target: at > 0 };
        let steps: Vec<_> = (0..9).map(step).collect();
        let slice = |seed| chosen(&steps, seed, Some(12)).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(slice(1), slice(1));
        assert_ne!(slice(1), slice(2));
        assert_eq!(chosen(&steps, 1, Some(250)).len(), 250);
        assert_eq!(chosen(&steps, 1, None).len(), 8 * Mutation::ALL.len() + 8);
    }
}
