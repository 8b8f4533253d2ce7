//! `waymark list`, `waymark describe` and `waymark approve`.

use std::path::Path;

use serde_json::Value;
use waymark_api::{
    Answer, ApproveRequest, Description, Entry, Standing, TenantWish, approve as approved, catalog,
    describe as described, visible,
};
use waymark_run::{ExitCode, Rejection};

use crate::args::ApproveOptions;
use crate::terminal::{Terminal, plain};
use crate::usage;

pub(crate) fn list(folder: &Path, json: bool, terminal: &Terminal) -> ExitCode {
    let catalog = match catalog(folder) {
        Ok(catalog) => catalog,
        Err(rejection) => return refuse(&rejection, json, terminal),
    };
    if json {
        terminal.json(&catalog);
        return ExitCode::SUCCESS;
    }
    for entry in &catalog.items {
        terminal.out(&row(entry));
    }
    if catalog.items.is_empty() {
        terminal.err(&format!("no capabilities in {}", plain(&folder.display().to_string())));
    }
    for unfit in &catalog.unfit {
        let file = plain(&unfit.file.display().to_string());
        terminal.err(&format!("left out: {file}: {} ({})", visible(&unfit.message), unfit.problem));
    }
    ExitCode::SUCCESS
}

pub(crate) fn describe(folder: &Path, name: &str, json: bool, terminal: &Terminal) -> ExitCode {
    match described(folder, name) {
        Ok(description) if json => terminal.json(&description),
        Ok(description) => terminal.out(&text(&description)),
        Err(rejection) => return refuse(&rejection, json, terminal),
    }
    ExitCode::SUCCESS
}

pub(crate) fn approve(options: ApproveOptions, json: bool, terminal: &Terminal) -> ExitCode {
    let request = ApproveRequest {
        name: options.name,
        artifacts: options.place.artifacts,
        config: options.config.config,
        tenant: options.tenant.map_or(TenantWish::Base, TenantWish::Named),
        digest: options.digest,
        by: options.by,
        note: options.note,
    };
    match approved(&request) {
        Ok(approved) if json => terminal.json(&approved),
        Ok(approved) => {
            let what = format!("{}@{} for {}", approved.id, approved.version, approved.tenant);
            terminal.out(&format!(
                "approved {what}  {}\n  {}\n",
                approved.digest,
                plain(&approved.record.display().to_string())
            ));
            if approved.verified == "to_commit_point" {
                terminal.err("no replay has gone further than the gate before its first step that is more than safe");
            }
        }
        Err(rejection) => return usage::answer(&rejection, json, terminal, "waymark approve --help"),
    }
    ExitCode::SUCCESS
}

fn refuse(rejection: &Rejection, json: bool, terminal: &Terminal) -> ExitCode {
    usage::answer(rejection, json, terminal, "waymark list --help")
}

fn row(entry: &Entry) -> String {
    let name = format!("{}@{}", entry.id, entry.version);
    format!("{name:<44} {:<13} {:<9} {}\n", entry.risk.as_str(), standing(entry), visible(&entry.title))
}

fn standing(entry: &Entry) -> &'static str {
    match entry.approval {
        Standing::Approved => "approved",
        Standing::Draft => "draft",
        Standing::Unfit => "unfit",
    }
}

fn text(description: &Description) -> String {
    let entry = &description.entry;
    let mut out = format!("{}@{}  {}, {}\n", entry.id, entry.version, entry.risk.as_str(), standing(entry));
    let mut say = |line: String| {
        out.push_str(&line);
        out.push('\n');
    };
    say(format!("  {}\n", visible(&description.description)));
    let (takes, needed) = fields(&description.parameters);
    say("Takes".to_owned());
    for (name, schema) in takes {
        let optional = if needed.contains(&Value::from(name.as_str())) { "" } else { " (may be left out)" };
        let secret = if schema["writeOnly"] == true { " (sensitive)" } else { "" };
        say(format!("  {name:<24} {}{secret}{optional}", about(schema)));
    }
    for credential in &description.credentials {
        say(format!("  {:<24} a credential of the application's profile, not the caller's", visible(credential)));
    }
    say("Gives".to_owned());
    for (name, schema) in fields(&description.outputs).0 {
        say(format!("  {name:<24} {}", about(schema)));
    }
    if !description.outcomes.is_empty() {
        say("Or one of these answers".to_owned());
    }
    for answer in &description.outcomes {
        say(format!("  {}", told(answer)));
    }
    if !description.failures.is_empty() {
        say("Or fails with app_error where the application says".to_owned());
    }
    for answer in &description.failures {
        say(format!("  {}", told(answer)));
    }
    if !description.versions.is_empty() {
        say(format!("Other versions: {}", description.versions.join(", ")));
    }
    out.push_str("The JSON Schemas of what it takes and gives are in `--json`.\n");
    out
}

fn told(answer: &Answer) -> String {
    let proven = if answer.proven { "" } else { " (never provoked)" };
    format!("{:<24} {}{proven}", answer.code, visible(&answer.description))
}

fn about(schema: &Value) -> String {
    visible(schema["description"].as_str().unwrap_or_default())
}

/// The fields of an object that a schema describes, and those that must be there.
fn fields(schema: &Value) -> (impl Iterator<Item = (&String, &Value)>, &[Value]) {
    let needed = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
    (schema["properties"].as_object().into_iter().flatten(), needed)
}
