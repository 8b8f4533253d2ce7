//! What is put into the application.

use super::Findings;
use super::codes::*;
use super::sites::{Owner, Site, Sites};
use crate::format::DatePattern;
use crate::{Action, Artifact, DisplayFormat, OptionRule, Parameter, Target, Type, ValueExpr};

pub(super) fn check(artifact: &Artifact, sites: &Sites<'_>, findings: &mut Findings) {
    literals(sites, findings);
    for site in &sites.actions {
        kinds(artifact, site, findings);
        secrets(artifact, site, findings);
        formats(artifact, site, findings);
    }
    answers(artifact, sites, findings);
}

fn parameter<'a>(artifact: &'a Artifact, value: &ValueExpr) -> Option<&'a Parameter> {
    match value {
        ValueExpr::Parameter { name } => artifact.parameters.iter().find(|p| p.name == *name),
        ValueExpr::Credential { .. } | ValueExpr::Variable { .. } | ValueExpr::Literal { .. } => None,
    }
}

/// A literal says nothing of being someone's value; that it was not confirmed is all that is known here. Toggles have
/// two values only, which are nobody's.
fn literals(sites: &Sites<'_>, findings: &mut Findings) {
    for site in &sites.values {
        if let ValueExpr::Literal { confirmed: false, .. } = site.it
            && !site.pointer.ends_with("/checked")
        {
            findings.add(LITERAL_VALUE, &site.pointer, "the same text is put in here in every run");
        }
    }
}

fn kinds(artifact: &Artifact, site: &Site<'_, Action>, findings: &mut Findings) {
    let at = &site.pointer;
    let declared = |value: &ValueExpr| parameter(artifact, value).map(|p| p.kind.clone());
    match site.it {
        Action::SetChecked { checked, .. } => {
            let fits = match checked {
                ValueExpr::Literal { value, .. } => value == "true" || value == "false",
                ValueExpr::Parameter { .. } => declared(checked).is_none_or(|kind| kind == Type::Boolean),
                ValueExpr::Credential { .. } | ValueExpr::Variable { .. } => false,
            };
            if !fits {
                let message = "a toggle takes `true`, `false` or a boolean parameter";
                findings.add(VALUE_TYPE_MISMATCH, format!("{at}/checked"), message);
            }
        }
        Action::Upload { file, .. } => {
            let fits = matches!(file, ValueExpr::Parameter { .. }) && declared(file).is_none_or(|k| k == Type::File);
            if !fits {
                findings.add(VALUE_TYPE_MISMATCH, format!("{at}/file"), "an upload takes a parameter of type file");
            }
        }
        Action::Type { value, .. } => {
            if matches!(declared(value), Some(Type::File | Type::Table { .. })) {
                findings.add(VALUE_TYPE_MISMATCH, format!("{at}/value"), "a file cannot be typed");
            }
        }
        Action::Choose { option, rule, .. } => {
            let blank = matches!(option, ValueExpr::Literal { value, .. } if value.trim().is_empty());
            if blank && *rule == OptionRule::StartsWith {
                findings.add(VALUE_TYPE_MISMATCH, format!("{at}/option"), "every option begins with nothing");
            }
            if matches!(declared(option), Some(Type::File | Type::Table { .. })) {
                findings.add(VALUE_TYPE_MISMATCH, format!("{at}/option"), "a file is no option");
            } else if matches!(option, ValueExpr::Credential { .. }) {
                findings.add(VALUE_TYPE_MISMATCH, format!("{at}/option"), "a credential is no option");
            }
        }
        _ => {}
    }
}

fn is_secret(artifact: &Artifact, value: &ValueExpr) -> bool {
    matches!(value, ValueExpr::Credential { .. }) || parameter(artifact, value).is_some_and(|p| p.sensitive)
}

fn secrets(artifact: &Artifact, site: &Site<'_, Action>, findings: &mut Findings) {
    let (target, field, value): (&Target, _, _) = match site.it {
        Action::Type { target, value, .. } => (target, "value", value),
        Action::Choose { target, option, .. } => (target, "option", option),
        _ => return,
    };
    let protected = target.fingerprint.as_ref().is_some_and(|f| f.protected);
    if is_secret(artifact, value) && !protected {
        let message = format!("a secret goes into `{}`, which is not known to hide it", target.description);
        findings.add(SENSITIVE_UNPROTECTED, format!("{}/{field}", site.pointer), message);
    }
}

/// Answers to dialogs are shown while they are typed.
fn answers(artifact: &Artifact, sites: &Sites<'_>, findings: &mut Findings) {
    for site in &sites.values {
        if !site.pointer.ends_with("/answer/text") || !matches!(site.owner, Owner::Step(_)) {
            continue;
        }
        if is_secret(artifact, site.it) {
            findings.add(SENSITIVE_UNPROTECTED, &site.pointer, "a secret is the answer to a dialog, which shows it");
        }
        if parameter(artifact, site.it).is_some_and(|p| p.kind == Type::File) {
            findings.add(VALUE_TYPE_MISMATCH, &site.pointer, "a file is no answer to a dialog");
        }
    }
}

fn formats(artifact: &Artifact, site: &Site<'_, Action>, findings: &mut Findings) {
    let Action::Type { value, format, .. } = site.it else { return };
    let at = format!("{}/format", site.pointer);
    let declared = parameter(artifact, value);
    let kind = declared.map_or(Type::Text, |p| p.kind.clone());
    let plain = DisplayFormat::default();
    // What is wrong with the form of the parameter is told of the parameter.
    let of_parameter = declared.and_then(|p| p.format.as_ref()).filter(|_| format.is_none());
    let given = format.as_ref().or(of_parameter).unwrap_or(&plain);
    if let Some(pattern) = given.date.as_ref().filter(|_| of_parameter.is_none())
        && let Err(why) = DatePattern::parse(pattern)
    {
        findings.add(DATE_PATTERN_MALFORMED, format!("{at}/date"), format!("this is no pattern of a date: {why}"));
    }
    let fraction = matches!(kind, Type::Decimal | Type::Money { .. });
    if kind == Type::Date && given.date.is_none() {
        findings.add(DISPLAY_FORMAT_MISSING, &site.pointer, "a date is typed, and its written form is not declared");
    }
    if fraction && given.locale.is_none() {
        findings.add(DISPLAY_FORMAT_DEFAULT, &site.pointer, "a number is typed with `.` as decimal mark by default");
    }
    if of_parameter.is_some() {
        return;
    }
    for field in given.unfit(&kind) {
        let message = format!("the format has a {field} that the value does not use");
        findings.add(FORMAT_UNUSED, format!("{at}/{field}"), message);
    }
}
