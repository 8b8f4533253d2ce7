//! What is declared: names, types, patterns, bounds.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::Findings;
use super::codes::*;
use super::sites::{Sites, Use};
use crate::format::{DatePattern, is_currency_code};
use crate::suggest::{did_you_mean, shown};
use crate::value::{anchored, plain_decimal};
use crate::{Action, Artifact, DisplayFormat, Name, Parameter, Remedy, RowLimit, SubflowBody, Type, ValueExpr};

/// The codes whose ending `escalation.triggers` may move.
pub const MOVABLE_CODES: &[&str] = &[
    "target_ambiguous",
    "target_not_found",
    "fingerprint_mismatch",
    "checkpoint_unmet",
    "unexpected_state",
    "unexpected_dialog",
    "unexpected_window",
    "covered_by",
    "recovery_spent",
    "sign_in_needed",
    "app_error",
    "option_absent",
    "not_settled",
    "timeout",
    "output_invalid",
];

/// The longest pattern, in characters.
const MAX_PATTERN: usize = 512;

pub(super) fn check(artifact: &Artifact, sites: &Sites<'_>, findings: &mut Findings) {
    duplicates(artifact, findings);
    blanks(artifact, sites, findings);
    types(artifact, findings);
    constraints(artifact, findings);
    unused(artifact, sites, findings);
    engine(artifact, findings);
    provenance(artifact, findings);
    triggers(artifact, findings);
    limits(artifact, findings);
    deadlines(artifact, findings);
}

fn twice<'a>(names: impl Iterator<Item = (String, &'a str)>, what: &str, findings: &mut Findings) {
    let mut seen: Vec<&str> = Vec::new();
    for (pointer, name) in names {
        if seen.contains(&name) {
            findings.add(DUPLICATE_ID, pointer, format!("the {what} `{}` stands here twice", shown(name)));
        } else {
            seen.push(name);
        }
    }
}

fn listed<'a, T>(
    at: &'a str,
    field: &'a str,
    items: &'a [T],
    name: fn(&T) -> &str,
) -> impl Iterator<Item = (String, &'a str)> {
    items.iter().enumerate().map(move |(i, item)| (format!("{at}/{i}{field}"), name(item)))
}

fn duplicates(artifact: &Artifact, findings: &mut Findings) {
    twice(listed("/variables", "/name", &artifact.variables, |v| v.name.as_str()), "variable", findings);
    twice(listed("/parameters", "/name", &artifact.parameters, |p| p.name.as_str()), "parameter", findings);
    twice(listed("/credentials", "/name", &artifact.credentials, |c| c.name.as_str()), "credential", findings);
    twice(listed("/outputs", "/name", &artifact.outputs, |o| o.name.as_str()), "output", findings);
    twice(listed("/steps", "/id", &artifact.steps, |s| s.id.as_str()), "step", findings);
    twice(listed("/outcomes", "/code", &artifact.outcomes, |o| o.code.as_str()), "outcome", findings);
    twice(listed("/recoveries", "/id", &artifact.recoveries, |r| r.id.as_str()), "recovery", findings);
    twice(listed("/subflows", "/id", &artifact.subflows, |s| s.id.as_str()), "sub-flow", findings);
    for (pointer, kind) in declared_types(artifact) {
        match kind {
            Type::Table { columns, key } => {
                let at = format!("{pointer}/table");
                twice(listed(&format!("{at}/columns"), "/name", columns, |c| c.name.as_str()), "column", findings);
                twice(listed(&format!("{at}/key"), "", key, Name::as_str), "key column", findings);
            }
            Type::Enum { values } => {
                twice(listed(&format!("{pointer}/enum/values"), "", values, String::as_str), "word", findings);
            }
            _ => {}
        }
    }
    for (i, outcome) in artifact.outcomes.iter().enumerate() {
        twice(listed(&format!("/outcomes/{i}/after"), "", &outcome.after, |s| s.as_str()), "step", findings);
    }
    for (i, step) in artifact.steps.iter().enumerate() {
        if let Action::ReadTable { columns, .. } = &step.action {
            let at = format!("/steps/{i}/action/columns");
            twice(listed(&at, "/column", columns, |c| c.column.as_str()), "column", findings);
        }
    }
}

/// The types of parameters, outputs and columns, with their pointers.
fn declared_types(artifact: &Artifact) -> Vec<(String, &Type)> {
    let mut out: Vec<(String, &Type)> = Vec::new();
    for (i, parameter) in artifact.parameters.iter().enumerate() {
        out.push((format!("/parameters/{i}/type"), &parameter.kind));
    }
    for (i, output) in artifact.outputs.iter().enumerate() {
        let at = format!("/outputs/{i}/type");
        if let Type::Table { columns, .. } = &output.kind {
            for (j, column) in columns.iter().enumerate() {
                out.push((format!("{at}/table/columns/{j}/type"), &column.kind));
            }
        }
        out.push((at, &output.kind));
    }
    out
}

fn blanks(artifact: &Artifact, sites: &Sites<'_>, findings: &mut Findings) {
    let mut blank = |pointer: &str, text: &str, what: &str| {
        if text.trim().is_empty() {
            findings.add(BLANK_TEXT, pointer, format!("the {what} is blank"));
        }
    };
    blank("/title", &artifact.title, "title");
    blank("/description", &artifact.description, "description");
    blank("/application/name", &artifact.application.name, "name of the application");
    blank("/application/surface", &artifact.application.surface, "kind of surface");
    for (site, r#use) in &sites.templates {
        let what = match r#use {
            Use::Sought => "text that is looked for",
            Use::Window | Use::WindowName => "name of the window",
            Use::Location => "address",
            Use::Pattern => "pattern",
            Use::ScreenId => "screen identifier",
            Use::Value | Use::Looks => continue,
        };
        if site.it.is_literal() {
            blank(&site.pointer, &site.it.to_string(), what);
        }
    }
}

fn types(artifact: &Artifact, findings: &mut Findings) {
    for (pointer, kind) in declared_types(artifact) {
        match kind {
            Type::Table { columns, .. } => {
                if pointer.starts_with("/parameters/") {
                    findings.add(PARAMETER_TYPE, &pointer, "a parameter cannot be a table");
                    continue;
                }
                if pointer.contains("/columns/") {
                    findings.add(NESTED_TABLE, &pointer, "a column cannot be a table");
                }
                if columns.is_empty() {
                    findings.add(TABLE_EMPTY, &pointer, "the table has no columns");
                }
            }
            Type::File if pointer.contains("/columns/") => {
                findings.add(NESTED_TABLE, &pointer, "a column cannot be a file");
            }
            Type::Enum { values } if values.is_empty() => {
                findings.add(ENUM_EMPTY, &pointer, "the enum has no words");
            }
            Type::Money { currency: Some(currency) } if !is_currency_code(currency) => {
                let message = format!("`{}` is no currency", shown(currency));
                findings.add(CURRENCY_UNKNOWN, format!("{pointer}/money/currency"), message);
            }
            _ => {}
        }
    }
}

fn constraints(artifact: &Artifact, findings: &mut Findings) {
    for (i, parameter) in artifact.parameters.iter().enumerate() {
        if parameter.kind != Type::Text {
            for (field, given) in
                [("pattern", parameter.pattern.is_some()), ("max_length", parameter.max_length.is_some())]
            {
                if given {
                    let message = format!("`{}` is no text, so it cannot have a {field}", parameter.name);
                    findings.add(CONSTRAINT_UNFIT, format!("/parameters/{i}/{field}"), message);
                }
            }
        } else if parameter.max_length == Some(0) {
            let message = format!("no text for `{}` is short enough", parameter.name);
            findings.add(CONSTRAINT_UNFIT, format!("/parameters/{i}/max_length"), message);
        }
        let number = matches!(parameter.kind, Type::Integer | Type::Decimal | Type::Money { .. });
        if let Some(least) = &parameter.minimum {
            let at = format!("/parameters/{i}/minimum");
            if !number {
                let message = format!("`{}` is no number, so it cannot have a minimum", parameter.name);
                findings.add(CONSTRAINT_UNFIT, at, message);
            } else if plain_decimal(least).is_none() {
                findings.add(CONSTRAINT_UNFIT, at, format!("`{}` is no plain number such as `0.01`", shown(least)));
            }
        }
        if let Some(format) = &parameter.format {
            written_form(parameter, format, &format!("/parameters/{i}/format"), findings);
        }
        if let Some(pattern) = &parameter.pattern {
            check_pattern(pattern, &format!("/parameters/{i}/pattern"), findings);
        }
    }
    if let Some(screen_id) = &artifact.application.screen_id {
        check_pattern(&screen_id.pattern, "/application/screen_id/pattern", findings);
    }
}

/// A written form says nothing but what a value of the type has.
fn written_form(parameter: &Parameter, format: &DisplayFormat, at: &str, findings: &mut Findings) {
    let date = parameter.kind == Type::Date;
    if !date && !matches!(parameter.kind, Type::Integer | Type::Decimal | Type::Money { .. }) {
        let message = format!("a value of `{}` is written in one way only, so it cannot have a format", parameter.name);
        return findings.add(CONSTRAINT_UNFIT, at, message);
    }
    for field in format.unfit(&parameter.kind) {
        let message = format!("a value of `{}` has no {field} that a format could say", parameter.name);
        findings.add(CONSTRAINT_UNFIT, format!("{at}/{field}"), message);
    }
    if let Some(pattern) = format.date.as_ref().filter(|_| date)
        && let Err(why) = DatePattern::parse(pattern)
    {
        findings.add(DATE_PATTERN_MALFORMED, format!("{at}/date"), format!("this is no pattern of a date: {why}"));
    }
}

fn check_pattern(pattern: &str, pointer: &str, findings: &mut Findings) {
    let length = pattern.chars().count();
    if length > MAX_PATTERN {
        let message = format!("the pattern has {length} characters; at most {MAX_PATTERN} are allowed");
        return findings.add(PATTERN_TOO_LARGE, pointer, message);
    }
    match anchored(pattern) {
        Ok(_) => {}
        Err(regex::Error::CompiledTooBig(_)) => {
            findings.add(PATTERN_TOO_LARGE, pointer, "the pattern needs too much memory");
        }
        Err(error) => {
            let said = error.to_string();
            let reason = said.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            findings.add(PATTERN_INVALID, pointer, format!("the pattern is no regular expression: {reason}"));
        }
    }
}

fn unused(artifact: &Artifact, sites: &Sites<'_>, findings: &mut Findings) {
    let in_text = |name: &Name| sites.templates.iter().any(|(s, _)| s.it.parameters().any(|p| p == name));
    let as_value =
        |name: &Name| sites.values.iter().any(|s| matches!(s.it, ValueExpr::Parameter { name: n } if n == name));
    for (i, parameter) in artifact.parameters.iter().enumerate() {
        if !in_text(&parameter.name) && !as_value(&parameter.name) {
            let message = format!("the parameter `{}` is used nowhere", parameter.name);
            findings.add(UNUSED_PARAMETER, format!("/parameters/{i}"), message);
        }
    }
    for (i, variable) in artifact.variables.iter().enumerate() {
        let name = &variable.name;
        let used = sites.templates.iter().any(|(s, _)| s.it.variables().any(|v| v == name))
            || sites.values.iter().any(|s| matches!(s.it, ValueExpr::Variable { name: n } if n == name));
        if !used {
            findings.add(
                UNUSED_DECLARATION,
                format!("/variables/{i}"),
                format!("the variable `{name}` is used nowhere"),
            );
        }
    }
    for (i, credential) in artifact.credentials.iter().enumerate() {
        let name = &credential.name;
        if !sites.values.iter().any(|s| matches!(s.it, ValueExpr::Credential { name: n } if n == name)) {
            let message = format!("the credential `{name}` is used nowhere");
            findings.add(UNUSED_DECLARATION, format!("/credentials/{i}"), message);
        }
    }
    for (i, subflow) in artifact.subflows.iter().enumerate() {
        let by_step = artifact.steps.iter().any(|s| s.reconcile.as_ref().is_some_and(|r| r.subflow == subflow.id));
        let by_remedy = |remedy: &Remedy| matches!(remedy, Remedy::Run { subflow: id } if *id == subflow.id);
        let runs = |action: &Action| matches!(action, Action::Run { subflow: id } if *id == subflow.id);
        let by_step = by_step || artifact.steps.iter().any(|step| runs(&step.action));
        if !by_step && !artifact.recoveries.iter().any(|r| by_remedy(&r.remedy)) {
            let message = format!("the sub-flow `{}` is used nowhere", subflow.id);
            findings.add(UNUSED_DECLARATION, format!("/subflows/{i}"), message);
        }
    }
}

fn engine(artifact: &Artifact, findings: &mut Findings) {
    for (field, number) in [("ladder", artifact.engine.ladder), ("settle", artifact.engine.settle)] {
        if number != 1 {
            let message = format!("{field} rule {number} is not known");
            findings.add(ENGINE_RULE_UNKNOWN, format!("/engine/{field}"), message);
        }
    }
}

fn provenance(artifact: &Artifact, findings: &mut Findings) {
    let provenance = &artifact.provenance;
    if OffsetDateTime::parse(&provenance.created_at, &Rfc3339).is_err() {
        let message = format!("`{}` is no RFC 3339 time", shown(&provenance.created_at));
        findings.add(CREATED_AT_MALFORMED, "/provenance/created_at", message);
    }
    if provenance.parent.as_ref().is_some_and(|d| !d.is_well_formed()) {
        findings.add(DIGEST_MALFORMED, "/provenance/parent", "the digest of the parent has another shape");
    }
    for (i, subflow) in artifact.subflows.iter().enumerate() {
        if let SubflowBody::Capability { digest, .. } = &subflow.body
            && !digest.is_well_formed()
        {
            let message = format!("the digest of `{}` has another shape", subflow.id);
            findings.add(DIGEST_MALFORMED, format!("/subflows/{i}/body/capability/digest"), message);
        }
    }
}

fn triggers(artifact: &Artifact, findings: &mut Findings) {
    for code in artifact.escalation.triggers.keys() {
        if !MOVABLE_CODES.contains(&code.as_str()) {
            let near = did_you_mean(code.as_str(), MOVABLE_CODES.iter().copied());
            let message = format!("`{code}` is no code that can be moved{near}");
            findings.add(TRIGGER_UNKNOWN, format!("/escalation/triggers/{code}"), message);
        }
    }
}

fn in_range(n: u32, least: u32, most: u32, pointer: String, findings: &mut Findings) {
    if !(least..=most).contains(&n) {
        findings.add(LIMIT_OUT_OF_RANGE, pointer, format!("{n} is not between {least} and {most}"));
    }
}

fn limits(artifact: &Artifact, findings: &mut Findings) {
    let limits = &artifact.limits;
    in_range(limits.retries_per_step, 0, 10, "/limits/retries_per_step".into(), findings);
    in_range(limits.retries_per_run, 0, 50, "/limits/retries_per_run".into(), findings);
    in_range(limits.recoveries_per_run, 0, 50, "/limits/recoveries_per_run".into(), findings);
    for (i, recovery) in artifact.recoveries.iter().enumerate() {
        in_range(recovery.limit, 1, 20, format!("/recoveries/{i}/limit"), findings);
    }
    for (i, step) in artifact.steps.iter().enumerate() {
        let at = format!("/steps/{i}/action");
        match &step.action {
            Action::ReadTable { rows: RowLimit::First(n), .. } => {
                in_range(*n, 1, 100_000, format!("{at}/rows/first"), findings);
            }
            Action::ScrollToLoad { limit, .. } => in_range(*limit, 1, 1_000, format!("{at}/limit"), findings),
            Action::Type { format: Some(format), .. } => {
                if let Some(decimals) = format.decimals {
                    in_range(decimals, 0, 12, format!("{at}/format/decimals"), findings);
                }
            }
            _ => {}
        }
    }
}

/// Times: none is zero, and none is longer than anybody waits.
fn deadlines(artifact: &Artifact, findings: &mut Findings) {
    const STEP_MOST: u32 = 600_000;
    const RUN_MOST: u32 = 4 * 3_600_000;
    let limits = &artifact.limits;
    let mut times = vec![
        ("/limits/step_deadline_ms".to_owned(), limits.step_deadline_ms, STEP_MOST),
        ("/limits/run_deadline_ms".to_owned(), limits.run_deadline_ms, RUN_MOST),
    ];
    for (i, step) in artifact.steps.iter().enumerate() {
        times.extend(step.deadline_ms.map(|ms| (format!("/steps/{i}/deadline_ms"), ms, STEP_MOST)));
    }
    for (i, outcome) in artifact.outcomes.iter().enumerate() {
        let stable = outcome.guard.as_ref().and_then(|g| g.stable_for_ms);
        times.extend(stable.map(|ms| (format!("/outcomes/{i}/guard/stable_for_ms"), ms, STEP_MOST)));
    }
    for (i, recovery) in artifact.recoveries.iter().enumerate() {
        if let Remedy::Wait { deadline_ms, .. } = &recovery.remedy {
            times.push((format!("/recoveries/{i}/remedy/wait/deadline_ms"), *deadline_ms, STEP_MOST));
        }
    }
    for (pointer, ms, most) in times {
        if ms == 0 {
            findings.add(DEADLINE_ZERO, pointer, "zero milliseconds leave no time");
        } else {
            in_range(ms, 1, most, pointer, findings);
        }
    }
}
