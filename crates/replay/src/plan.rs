//! What is to be replayed, bound to this run's values.

use std::collections::BTreeMap;
use std::sync::Arc;

use waymark_artifact::{
    Action, Artifact, Bindings, DisplayFormat, FormatError, Name, Remedy, Step, StepId, SubflowBody, Value, ValueExpr,
    display,
};
use waymark_policy::{Grants, Mode, Policy};

/// The number of the settling rule that the drivers of this version keep.
pub const SETTLE_RULE: u32 = 1;

/// Everything a run needs to know before it begins.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The capability; it passed `validate` without errors.
    pub artifact: Artifact,
    /// The caller's values, checked.
    pub inputs: BTreeMap<Name, Value>,
    /// Where a tenant's overlay changed the ways of a step: for each of them, in their order, how far it lies down the ladder
    /// of the capability as it is stored.
    pub base_drift: BTreeMap<StepId, Vec<u32>>,
    /// The values of all variables.
    pub variables: BTreeMap<Name, String>,
    /// What may be done.
    pub policy: Arc<Policy>,
    /// Whether a person is watching.
    pub mode: Mode,
    /// What was granted.
    pub grants: Grants,
    /// Whether a person may be asked; if not, what would escalate fails.
    pub escalate: bool,
    /// Whether the walk stands still until that person has acted; if not, it ends.
    pub waits: bool,
    /// Whether a picture is taken after each step that acts.
    pub pictures: bool,
}

/// Why a plan cannot be carried out by this version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Made for another rule.
    #[error("made for {rule} rule {number}; this version has rule {known}")]
    Rule {
        /// Which rule.
        rule: &'static str,
        /// The number it wants.
        number: u32,
        /// The number there is.
        known: u32,
    },
    /// Something this version does not replay.
    #[error("`{place}`: {what} is not replayed by this version")]
    NotReplayed {
        /// The step or sub-flow.
        place: String,
        /// What.
        what: &'static str,
    },
    /// A value has no written form.
    #[error("the parameter `{name}` has no written form: {why}")]
    Display {
        /// The parameter.
        name: Name,
        /// Why.
        why: FormatError,
    },
    /// A variable has no value.
    #[error("the variable `{0}` has no value")]
    Variable(Name),
}

impl Plan {
    /// The texts that references stand for.
    ///
    /// # Errors
    /// A value is missing or has no written form, or the artifact needs what this version does not do.
    pub fn bind(&self) -> Result<Bindings, PlanError> {
        self.check()?;
        let mut bindings = Bindings::default();
        for (name, value) in &self.inputs {
            if *value == Value::Null {
                continue;
            }
            let text = self.written(name, value, None).map_err(|why| PlanError::Display { name: name.clone(), why })?;
            bindings.parameters.insert(name.clone(), text);
        }
        // A form that only one step has is found wanting now, too, and not half way through.
        for step in self.artifact.steps.iter().filter(|step| self.takes_part(step)) {
            if let Action::Type { value: ValueExpr::Parameter { name }, format: Some(format), .. } = &step.action
                && let Some(value) = self.inputs.get(name).filter(|value| **value != Value::Null)
            {
                let written = self.written(name, value, Some(format));
                written.map_err(|why| PlanError::Display { name: name.clone(), why })?;
            }
        }
        for variable in &self.artifact.variables {
            let value = self.variables.get(&variable.name).or(variable.default.as_ref());
            let value = value.ok_or_else(|| PlanError::Variable(variable.name.clone()))?;
            bindings.variables.insert(variable.name.clone(), value.clone());
        }
        Ok(bindings)
    }

    /// A parameter's value as a step writes it: in the step's own form, else in the one that the application has for it.
    ///
    /// # Errors
    /// The value has no such form.
    pub(crate) fn written(
        &self,
        name: &Name,
        value: &Value,
        format: Option<&DisplayFormat>,
    ) -> Result<String, FormatError> {
        display(value, format.or_else(|| self.form(name)))
    }

    /// How the application writes a parameter, where it is declared.
    pub(crate) fn form(&self, name: &Name) -> Option<&DisplayFormat> {
        self.artifact.parameters.iter().find(|p| p.name == *name).and_then(|p| p.format.as_ref())
    }

    /// Whether the step takes part, by its condition on the parameters.
    #[must_use]
    pub fn takes_part(&self, step: &Step) -> bool {
        step.only_if
            .as_ref()
            .is_none_or(|only| self.inputs.get(&only.parameter).is_some_and(|value| *value != Value::Null))
    }

    /// Whether the value of an expression must never be seen.
    #[must_use]
    pub fn is_sensitive(&self, expr: &ValueExpr) -> bool {
        match expr {
            ValueExpr::Parameter { name } => self.artifact.parameters.iter().any(|p| p.name == *name && p.sensitive),
            ValueExpr::Credential { .. } => true,
            ValueExpr::Variable { .. } | ValueExpr::Literal { .. } => false,
        }
    }

    /// Whether the value of an output must never be seen.
    #[must_use]
    pub fn hides(&self, output: &Name) -> bool {
        self.artifact.outputs.iter().any(|o| o.name == *output && o.sensitive)
    }

    /// The steps of a sub-flow.
    #[must_use]
    pub fn subflow(&self, id: &Name) -> Option<Vec<Step>> {
        let subflow = self.artifact.subflows.iter().find(|s| s.id == *id)?;
        match &subflow.body {
            SubflowBody::Steps { from, to } => {
                let at = |id: &StepId| self.artifact.steps.iter().position(|s| s.id == *id);
                self.artifact.steps.get(at(from)?..=at(to)?).map(<[Step]>::to_vec)
            }
            SubflowBody::Capability { .. } => None,
        }
    }

    fn check(&self) -> Result<(), PlanError> {
        let rules = self.artifact.engine;
        for (rule, number, known) in
            [("ladder", rules.ladder, waymark_targeting::RULE), ("settle", rules.settle, SETTLE_RULE)]
        {
            if number != known {
                return Err(PlanError::Rule { rule, number, known });
            }
        }
        let refuse = |place: &dyn ToString, what| Err(PlanError::NotReplayed { place: place.to_string(), what });
        let remedies = self.artifact.recoveries.iter().filter_map(|r| match &r.remedy {
            Remedy::Act { action, .. } => Some((r.id.to_string(), action)),
            Remedy::Wait { .. } | Remedy::Run { .. } | Remedy::Answer { .. } => None,
        });
        let steps = self.artifact.steps.iter().map(|s| (s.id.to_string(), &s.action));
        for (place, action) in steps.chain(remedies) {
            match action {
                Action::Upload { .. } => return refuse(&place, "an upload"),
                Action::ScrollToLoad { .. } => return refuse(&place, "scrolling to load"),
                Action::Run { .. } => return refuse(&place, "a capability that was not put in its place"),
                _ => {}
            }
        }
        if let Some(step) = self.artifact.steps.iter().find(|s| s.opens.download.is_some()) {
            return refuse(&step.id, "a download");
        }
        for subflow in &self.artifact.subflows {
            if matches!(subflow.body, SubflowBody::Capability { .. }) {
                return refuse(&subflow.id, "another capability as a sub-flow");
            }
        }
        Ok(())
    }
}
