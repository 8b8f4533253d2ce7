//! What it is, takes and gives, and where it comes from.

use super::value::{kind, read_format, written};
use super::words::{counted, listed, own_words, quoted, said};
use super::{Lines, Section};
use crate::{Artifact, Name, Output, Parameter, ProvenanceSource, SchemaWord, Type};

pub(super) fn head(artifact: &Artifact) -> Section {
    let mut lines = Lines::default();
    let SchemaWord::V1 = artifact.schema;
    lines.say(0, format!("{} version {}: {}", artifact.id, artifact.version, quoted(&artifact.title)));
    lines.say(0, own_words(&artifact.description));
    let application = &artifact.application;
    lines.say(
        0,
        format!(
            "It works in {} on the surface {}, and begins at {}.",
            quoted(&application.name),
            quoted(&application.surface),
            said(&application.entry)
        ),
    );
    if let Some(screen) = &application.screen_id {
        let place = super::target::place(&screen.place);
        lines.say(
            0,
            format!("Its screens identify themselves by a line of text{place} that fits {}.", quoted(&screen.pattern)),
        );
    }
    for variable in &artifact.variables {
        let default = match &variable.default {
            Some(value) => format!("{} unless an installation says otherwise", quoted(value)),
            None => "an installation must say what it is".to_owned(),
        };
        lines.say(0, format!("{{var.{0}}} differs between installations: {default}.", variable.name));
        lines.say(1, own_words(&variable.description));
    }
    lines.say(
        0,
        "In quotes, {param.NAME} stands for what the caller gives, {var.NAME} for what the installation has, and two \
         braces for one.",
    );
    lines.under("What it is")
}

pub(super) fn takes(artifact: &Artifact) -> Section {
    let mut lines = Lines::default();
    if artifact.parameters.is_empty() {
        lines.say(0, "Nothing.");
    }
    artifact.parameters.iter().for_each(|parameter| taken(&mut lines, parameter));
    for credential in &artifact.credentials {
        lines.say(
            0,
            format!("- {}: a secret that is looked up when it is typed; the caller does not give it", credential.name),
        );
        lines.say(1, own_words(&credential.description));
    }
    lines.under("What it takes")
}

pub(super) fn gives(artifact: &Artifact) -> Section {
    let mut lines = Lines::default();
    if artifact.outputs.is_empty() {
        lines.say(0, "Nothing but how it ended.");
    }
    artifact.outputs.iter().for_each(|output| given(&mut lines, output));
    lines.under("What it gives")
}

pub(super) fn provenance(artifact: &Artifact) -> Section {
    let mut lines = Lines::default();
    let from = &artifact.provenance;
    let how = match from.source {
        ProvenanceSource::Discovery => "Recorded while a model did the job",
        ProvenanceSource::Person => "Recorded while a person did the job",
        ProvenanceSource::Hand => "Written by hand",
    };
    lines.say(0, format!("{how}: {}, at {}.", quoted(&from.author), quoted(&from.created_at)));
    if from.simulated {
        lines.say(0, "The model was a simulated one: a script stood in for it.");
    }
    match &from.run {
        Some(run) => lines.say(0, format!("The run in which it was recorded is {}.", quoted(run))),
        None => lines.say(0, "No run in which it was recorded is named."),
    }
    if let Some(parent) = &from.parent {
        lines.say(0, format!("It was made from the document with the digest {}.", quoted(&parent.0)));
    }
    if !from.note.is_empty() {
        lines.say(0, format!("Its maker remarks: {}", quoted(&from.note)));
    }
    lines.say(
        0,
        format!(
            "It is made for rule {} of finding and rule {} of settling.",
            artifact.engine.ladder, artifact.engine.settle
        ),
    );
    lines.under("Where it comes from")
}

fn taken(lines: &mut Lines, parameter: &Parameter) {
    let mut parts = vec![kind(&parameter.kind)];
    if let Some(pattern) = &parameter.pattern {
        parts.push(format!("which as a whole fits the pattern {}", quoted(pattern)));
    }
    if let Some(limit) = parameter.max_length {
        parts.push(format!("of at most {}", counted(limit, "character")));
    }
    if let Some(least) = &parameter.minimum {
        parts.push(format!("of at least {}", quoted(least)));
    }
    parts.push(if parameter.optional { "may be left out" } else { "must be given" }.to_owned());
    if parameter.sensitive {
        parts.push("sensitive: never shown or stored".to_owned());
    }
    lines.say(0, format!("- {}: {}", parameter.name, parts.join(", ")));
    lines.say(1, own_words(&parameter.description));
    if let Some(format) = &parameter.format {
        lines.say(1, format!("This application writes it so: {}.", written(&parameter.kind, format)));
    }
    columns(lines, &parameter.kind);
}

fn given(lines: &mut Lines, output: &Output) {
    let optional = if output.optional { ", may be missing" } else { "" };
    let sensitive = if output.sensitive { ", sensitive: masked in logs and pictures" } else { "" };
    let format = read_format(&output.format);
    lines.say(0, format!("- {}: {}{optional}{sensitive}{format}", output.name, kind(&output.kind)));
    lines.say(1, own_words(&output.description));
    columns(lines, &output.kind);
}

/// The columns of a table, where it is one.
fn columns(lines: &mut Lines, what: &Type) {
    let Type::Table { columns: all, key } = what else { return };
    for column in all {
        let optional = if column.optional { ", may be empty" } else { "" };
        let words = match column.description.is_empty() {
            true => String::new(),
            false => format!(" (in the document's words: {})", quoted(&column.description)),
        };
        let format = read_format(&column.format);
        lines.say(1, format!("- column {}: {}{optional}{format}{words}", column.name, kind(&column.kind)));
        columns(lines, &column.kind);
    }
    if key.is_empty() {
        lines.say(1, "No column is said to tell its rows apart.");
    } else {
        let key: Vec<&Name> = key.iter().collect();
        lines.say(1, format!("Its rows are told apart by {}.", listed(&key, "and")));
    }
}
