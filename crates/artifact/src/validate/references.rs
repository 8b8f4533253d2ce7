//! What is referred to is declared, and may be referred to there.

use super::Findings;
use super::codes::*;
use super::logic::position;
use super::sites::{Owner, Part, Sites};
use crate::suggest::did_you_mean;
use crate::{Action, Artifact, Condition, Detector, Name, Remedy, StepId, SubflowBody, Type, ValueExpr};

pub(super) fn check(artifact: &Artifact, sites: &Sites<'_>, findings: &mut Findings) {
    let references = References { artifact };
    references.texts(sites, findings);
    references.values(sites, findings);
    references.only_if(findings);
    references.outputs(sites, findings);
    references.columns(findings);
    references.steps(findings);
    references.subflows(findings);
}

struct References<'a> {
    artifact: &'a Artifact,
}

impl References<'_> {
    fn texts(&self, sites: &Sites<'_>, findings: &mut Findings) {
        for (site, _) in &sites.templates {
            for name in site.it.parameters() {
                self.parameter(name, &site.pointer, site.owner, site.part, findings);
                if self.artifact.parameters.iter().any(|p| p.name == *name && p.sensitive) {
                    let message = format!("the sensitive parameter `{name}` stands in a text");
                    findings.add(SENSITIVE_IN_TEXT, &site.pointer, message);
                }
            }
            for name in site.it.variables() {
                self.variable(name, &site.pointer, findings);
            }
        }
    }

    fn values(&self, sites: &Sites<'_>, findings: &mut Findings) {
        for site in &sites.values {
            match site.it {
                ValueExpr::Parameter { name } => {
                    self.parameter(name, &site.pointer, site.owner, site.part, findings);
                }
                ValueExpr::Variable { name } => self.variable(name, &site.pointer, findings),
                ValueExpr::Credential { name } => {
                    let known = || self.artifact.credentials.iter().map(|c| c.name.as_str());
                    if known().all(|n| n != name.as_str()) {
                        let near = did_you_mean(name.as_str(), known());
                        let message = format!("there is no credential `{name}`{near}");
                        findings.add(UNKNOWN_CREDENTIAL, &site.pointer, message);
                    }
                }
                ValueExpr::Literal { .. } => {}
            }
        }
    }

    fn parameter(&self, name: &Name, pointer: &str, owner: Owner, part: Part, findings: &mut Findings) {
        let Some(parameter) = self.artifact.parameters.iter().find(|p| p.name == *name) else {
            let near = did_you_mean(name.as_str(), self.artifact.parameters.iter().map(|p| p.name.as_str()));
            return findings.add(UNKNOWN_PARAMETER, pointer, format!("there is no parameter `{name}`{near}"));
        };
        let guarded = match owner {
            Owner::Step(i) => {
                let only_if = self.artifact.steps.get(i).and_then(|s| s.only_if.as_ref());
                only_if.is_some_and(|only_if| only_if.parameter == *name)
            }
            Owner::Document | Owner::Outcome | Owner::Recovery | Owner::Subflow => false,
        };
        if parameter.optional && !guarded {
            let place = match (owner, part) {
                (Owner::Step(_), _) => "by a step that is done also without it",
                (_, Part::Detector) => "by a detector that is asked also without it",
                _ => "where it may be missing",
            };
            findings.add(OPTIONAL_UNGUARDED, pointer, format!("the optional parameter `{name}` is used {place}"));
        }
    }

    fn variable(&self, name: &Name, pointer: &str, findings: &mut Findings) {
        let known = || self.artifact.variables.iter().map(|v| v.name.as_str());
        if known().all(|n| n != name.as_str()) {
            let near = did_you_mean(name.as_str(), known());
            findings.add(UNKNOWN_VARIABLE, pointer, format!("there is no variable `{name}`{near}"));
        }
    }

    fn only_if(&self, findings: &mut Findings) {
        for (i, step) in self.artifact.steps.iter().enumerate() {
            let Some(only_if) = &step.only_if else { continue };
            let pointer = format!("/steps/{i}/only_if/parameter");
            let name = &only_if.parameter;
            match self.artifact.parameters.iter().find(|p| p.name == *name) {
                None => {
                    let near = did_you_mean(name.as_str(), self.artifact.parameters.iter().map(|p| p.name.as_str()));
                    findings.add(UNKNOWN_PARAMETER, pointer, format!("there is no parameter `{name}`{near}"));
                }
                Some(parameter) if !parameter.optional => {
                    findings.add(ONLY_IF_REQUIRED, pointer, format!("`{name}` is always given"));
                }
                Some(_) => {}
            }
        }
    }

    fn output(&self, name: &Name, pointer: String, findings: &mut Findings) {
        let known = || self.artifact.outputs.iter().map(|o| o.name.as_str());
        if known().all(|n| n != name.as_str()) {
            let near = did_you_mean(name.as_str(), known());
            findings.add(UNKNOWN_OUTPUT, pointer, format!("there is no output `{name}`{near}"));
        }
    }

    fn outputs(&self, sites: &Sites<'_>, findings: &mut Findings) {
        for site in &sites.conditions {
            if let Condition::OutputNotEmpty { output } = site.it {
                self.output(output, format!("{}/output", site.pointer), findings);
            }
        }
        for (i, step) in self.artifact.steps.iter().enumerate() {
            if let Action::Read { into, .. } | Action::ReadTable { into, .. } = &step.action {
                self.output(into, format!("/steps/{i}/action/into"), findings);
            }
            if let Some(download) = &step.opens.download {
                self.output(&download.into, format!("/steps/{i}/opens/download/into"), findings);
            }
        }
    }

    fn columns(&self, findings: &mut Findings) {
        for (i, output) in self.artifact.outputs.iter().enumerate() {
            let Type::Table { columns, key } = &output.kind else { continue };
            let known = || columns.iter().map(|c| c.name.as_str());
            for (j, name) in key.iter().enumerate().filter(|(_, name)| known().all(|n| n != name.as_str())) {
                let near = did_you_mean(name.as_str(), known());
                let message = format!("the table `{}` has no column `{name}`{near}", output.name);
                findings.add(UNKNOWN_COLUMN, format!("/outputs/{i}/type/table/key/{j}"), message);
            }
        }
        for (i, step) in self.artifact.steps.iter().enumerate() {
            let Action::ReadTable { into, columns: read, .. } = &step.action else { continue };
            let output = self.artifact.outputs.iter().find(|o| o.name == *into);
            let Some(Type::Table { columns, .. }) = output.map(|o| &o.kind) else { continue };
            let known = || columns.iter().map(|c| c.name.as_str());
            for (j, column) in read.iter().enumerate() {
                if known().all(|n| n != column.column.as_str()) {
                    let near = did_you_mean(column.column.as_str(), known());
                    let message = format!("the table `{into}` has no column `{}`{near}", column.column);
                    findings.add(UNKNOWN_COLUMN, format!("/steps/{i}/action/columns/{j}/column"), message);
                }
            }
        }
    }

    fn step(&self, id: &StepId, pointer: String, findings: &mut Findings) {
        if position(self.artifact, id).is_none() {
            let near = did_you_mean(id.as_str(), self.artifact.steps.iter().map(|s| s.id.as_str()));
            findings.add(UNKNOWN_STEP, pointer, format!("there is no step `{id}`{near}"));
        }
    }

    fn steps(&self, findings: &mut Findings) {
        for (i, outcome) in self.artifact.outcomes.iter().enumerate() {
            if let Detector::Resolution { step, .. } = &outcome.detector {
                self.step(step, format!("/outcomes/{i}/detector/resolution/step"), findings);
            }
            for (j, id) in outcome.after.iter().enumerate() {
                self.step(id, format!("/outcomes/{i}/after/{j}"), findings);
            }
        }
        for (i, subflow) in self.artifact.subflows.iter().enumerate() {
            if let SubflowBody::Steps { from, to } = &subflow.body {
                self.step(from, format!("/subflows/{i}/body/steps/from"), findings);
                self.step(to, format!("/subflows/{i}/body/steps/to"), findings);
            }
        }
    }

    fn subflow(&self, id: &Name, pointer: String, findings: &mut Findings) {
        let known = || self.artifact.subflows.iter().map(|s| s.id.as_str());
        if known().all(|n| n != id.as_str()) {
            let near = did_you_mean(id.as_str(), known());
            findings.add(UNKNOWN_SUBFLOW, pointer, format!("there is no sub-flow `{id}`{near}"));
        }
    }

    fn subflows(&self, findings: &mut Findings) {
        for (i, step) in self.artifact.steps.iter().enumerate() {
            if let Some(reconcile) = &step.reconcile {
                self.subflow(&reconcile.subflow, format!("/steps/{i}/reconcile/subflow"), findings);
            }
            if let Action::Run { subflow } = &step.action {
                self.subflow(subflow, format!("/steps/{i}/action/subflow"), findings);
            }
        }
        for (i, recovery) in self.artifact.recoveries.iter().enumerate() {
            if let Remedy::Run { subflow } = &recovery.remedy {
                self.subflow(subflow, format!("/recoveries/{i}/remedy/run/subflow"), findings);
            }
        }
    }
}
