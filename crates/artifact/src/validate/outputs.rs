//! Outputs: how they are written on the screen, and that they are read.

use super::Findings;
use super::codes::*;
use crate::format::is_currency_code;
use crate::suggest::shown;
use crate::{Action, Artifact, Name, ReadFormat, Type};

pub(super) fn check(artifact: &Artifact, findings: &mut Findings) {
    for (i, output) in artifact.outputs.iter().enumerate() {
        let at = format!("/outputs/{i}");
        format(&at, output.name.as_str(), &output.kind, &output.format, output.optional, findings);
        if let Type::Table { columns, .. } = &output.kind {
            for (j, column) in columns.iter().enumerate() {
                let at = format!("{at}/type/table/columns/{j}");
                format(&at, column.name.as_str(), &column.kind, &column.format, column.optional, findings);
            }
        }
    }
    kinds(artifact, findings);
    coverage(artifact, findings);
    columns(artifact, findings);
}

fn format(at: &str, name: &str, kind: &Type, format: &ReadFormat, optional: bool, findings: &mut Findings) {
    let number = matches!(kind, Type::Integer | Type::Decimal | Type::Money { .. });
    if number && format.locale.is_none() {
        findings.add(OUTPUT_AMBIGUOUS, at, format!("`{name}` is a number, and no locale says which mark is which"));
    }
    if *kind == Type::Date && format.date_order.is_none() {
        let message = format!("`{name}` is a date, and nothing says whether the day or the month comes first");
        findings.add(OUTPUT_AMBIGUOUS, at, message);
    }
    if let Type::Money { currency } = kind {
        match (currency, &format.currency) {
            (None, None) => findings.add(CURRENCY_MISSING, at, format!("no currency is declared for `{name}`")),
            (Some(a), Some(b)) if a != b => {
                let message = format!("`{name}` is in `{}` by its type and in `{}` by its format", shown(a), shown(b));
                findings.add(CURRENCY_CONFLICT, format!("{at}/format/currency"), message);
            }
            _ => {}
        }
    }
    if let Some(currency) = format.currency.as_ref().filter(|c| !is_currency_code(c)) {
        let message = format!("`{}` is no currency", shown(currency));
        findings.add(CURRENCY_UNKNOWN, format!("{at}/format/currency"), message);
    }
    let money = matches!(kind, Type::Money { .. });
    let plain_number = matches!(kind, Type::Integer | Type::Decimal);
    for (field, given, fits) in [
        ("locale", format.locale.is_some(), number),
        ("currency", format.currency.is_some(), money),
        ("date_order", format.date_order.is_some(), *kind == Type::Date),
        ("percent", format.percent, plain_number),
        ("null_words", !format.null_words.is_empty(), !matches!(kind, Type::Table { .. } | Type::File)),
    ] {
        if given && !fits {
            let message = format!("`{name}` has a {field} in its format that its type does not use");
            findings.add(FORMAT_UNUSED, format!("{at}/format/{field}"), message);
        }
    }
    if !optional && !format.null_words.is_empty() && !matches!(kind, Type::Table { .. } | Type::File) {
        let message = format!("`{name}` has words for no value, but must have one");
        findings.add(NULL_WORDS_REQUIRED, format!("{at}/format/null_words"), message);
    }
}

/// What each step reads: the output, the pointer, and the word for the kind.
fn readings(artifact: &Artifact) -> Vec<(usize, &Name, String, &'static str)> {
    let mut out = Vec::new();
    for (i, step) in artifact.steps.iter().enumerate() {
        match &step.action {
            Action::Read { into, .. } => out.push((i, into, format!("/steps/{i}/action/into"), "read")),
            Action::ReadTable { into, .. } => out.push((i, into, format!("/steps/{i}/action/into"), "read_table")),
            _ => {}
        }
        if let Some(download) = &step.opens.download {
            out.push((i, &download.into, format!("/steps/{i}/opens/download/into"), "download"));
        }
    }
    out
}

fn kinds(artifact: &Artifact, findings: &mut Findings) {
    for (_, name, pointer, by) in readings(artifact) {
        let Some(output) = artifact.outputs.iter().find(|o| o.name == *name) else { continue };
        let fills = match &output.kind {
            Type::Table { .. } => "read_table",
            Type::File => "download",
            _ => "read",
        };
        if fills != by {
            let message = format!("`{name}` is filled by {fills}, not by {by}");
            findings.add(READ_TYPE_MISMATCH, pointer, message);
        }
    }
}

fn coverage(artifact: &Artifact, findings: &mut Findings) {
    let readings = readings(artifact);
    for (i, output) in artifact.outputs.iter().enumerate() {
        let mine: Vec<_> = readings.iter().filter(|(_, name, ..)| **name == output.name).collect();
        let at = format!("/outputs/{i}");
        match (output.optional, mine.as_slice()) {
            (true, []) => {
                findings.add(OPTIONAL_OUTPUT_NOT_READ, at, format!("no step reads `{}`", output.name));
            }
            (false, []) => findings.add(OUTPUT_NOT_READ, at, format!("no step reads `{}`", output.name)),
            (false, [one]) if artifact.steps[one.0].only_if.is_some() => {
                let message = format!("`{}` is read only where an optional parameter is given", output.name);
                findings.add(OUTPUT_NOT_READ, at, message);
            }
            (false, [_, again, ..]) => {
                findings.add(OUTPUT_READ_TWICE, &again.2, format!("`{}` is read a second time here", output.name));
            }
            _ => {}
        }
    }
}

fn columns(artifact: &Artifact, findings: &mut Findings) {
    for (i, step) in artifact.steps.iter().enumerate() {
        let Action::ReadTable { into, columns: read, .. } = &step.action else { continue };
        let output = artifact.outputs.iter().find(|o| o.name == *into);
        let Some(Type::Table { columns, .. }) = output.map(|o| &o.kind) else { continue };
        for column in columns.iter().filter(|c| !c.optional) {
            if read.iter().all(|r| r.column != column.name) {
                let message = format!("the column `{}` of `{into}` is not read", column.name);
                findings.add(COLUMN_NOT_READ, format!("/steps/{i}/action/columns"), message);
            }
        }
    }
}
