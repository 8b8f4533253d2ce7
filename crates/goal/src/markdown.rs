//! The Markdown face: what an analyst writes.
//!
//! Lines are taken as they stand and not as marked up text: what a condition says is compared with a screen letter by
//! letter, so an asterisk is an asterisk.

use serde::Deserialize;
use waymark_artifact::CapabilityId;
use waymark_policy::from_yaml;

use crate::document::{Document, Limits, SchemaWord};
use crate::goal::{Checked, Goal, finish, kinds};
use crate::line::{self, folded};
use crate::problem::{GoalError, GoalErrors, Part, Where, Wrong, shown};

const MAX_BYTES: usize = 256 * 1024;
const SECTIONS: [&str; 6] = ["Goal", "Success", "Data", "Outcomes", "Outputs", "Limits"];

/// The lines between `---` and `---`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Front {
    capability: Option<String>,
    title: Option<String>,
    url: Option<String>,
}

/// The text taken apart, each line with its number.
#[derive(Default)]
struct Sheet<'a> {
    front: Vec<&'a str>,
    title: Option<(usize, &'a str)>,
    sections: Vec<Section<'a>>,
}

struct Section<'a> {
    name: &'static str,
    line: usize,
    body: Vec<(usize, &'a str)>,
}

/// One item of a list: its line, its text, and the indented lines below it.
struct Item {
    line: usize,
    text: String,
    description: String,
}

impl Goal {
    /// Reads a goal from a Markdown text. `file` is the label that errors carry.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_markdown(file: &str, text: &str) -> Result<Checked, GoalErrors> {
        let at = |line: usize| Where::Line { file: file.into(), line };
        if text.len() > MAX_BYTES {
            let wrong = Wrong::new("too_large", "the text is too long", "a goal has at most 256 KiB");
            return Err(GoalErrors(vec![wrong.at(Where::Whole)]));
        }
        let mut errors = Vec::new();
        let sheet = take_apart(text.trim_start_matches('\u{feff}'), &at, &mut errors);
        let front = front(file, &sheet, &mut errors);

        let goal_line = sheet.line_of("Goal");
        let task = sheet.body("Goal").iter().map(|(_, line)| unescaped(line)).collect::<Vec<_>>().join("\n");
        let success = list(&sheet, "Success", &at, &mut errors);
        let (success, success_lines) = each(&success, &at, &mut errors, |item| plain(item, line::condition));
        let data = list(&sheet, "Data", &at, &mut errors);
        let (data, data_lines) = each(&data, &at, &mut errors, |item| {
            line::data(&item.text).map(|key| crate::DataKey { description: item.description.clone(), ..key })
        });
        let kinds = kinds(&data);
        let outcomes = list(&sheet, "Outcomes", &at, &mut errors);
        let (outcomes, outcome_lines) = each(&outcomes, &at, &mut errors, |item| {
            let read = line::outcome(&item.text, &kinds);
            read.map(|outcome| crate::DeclaredOutcome { description: item.description.clone(), ..outcome })
        });
        let outputs = list(&sheet, "Outputs", &at, &mut errors);
        let (outputs, output_lines) = each(&outputs, &at, &mut errors, |item| {
            line::output(&item.text)
                .map(|output| crate::WantedOutput { description: item.description.clone(), ..output })
        });
        let mut limits = Limits::default();
        let items = list(&sheet, "Limits", &at, &mut errors);
        let (names, limit_lines) =
            each(&items, &at, &mut errors, |item| plain(item, |text| line::limit(text, &mut limits)));
        for (later, name) in names.iter().enumerate() {
            if names[..later].contains(name) {
                errors.push(
                    Wrong::new("twice", format!("the limit `{name}` stands twice"), "keep one of the two")
                        .at(at(limit_lines[later])),
                );
            }
        }

        let title_line = sheet.title.map_or(1, |(line, _)| line);
        let title = match (front.title, sheet.title) {
            (Some(_), Some((line, _))) => {
                errors.push(
                    Wrong::new("twice", "the title stands in the front matter too", "keep one of the two").at(at(line)),
                );
                None
            }
            (Some(title), None) => Some(title),
            (None, title) => title.map(|(_, title)| title.to_owned()),
        };
        let capability = front.capability.and_then(|word| match CapabilityId::new(&word) {
            Ok(id) => Some(id),
            Err(error) => {
                errors.push(
                    Wrong::new("not_an_id", error.to_string(), "such as bank.read_balance")
                        .at(at(sheet.front_line("capability"))),
                );
                None
            }
        });
        let (url_line, success_line) = (sheet.front_line("url"), sheet.line_of("Success"));
        let document = Document {
            schema: SchemaWord,
            capability,
            title,
            url: front.url.unwrap_or_default(),
            task,
            success,
            data,
            outcomes,
            outputs,
            limits,
        };
        let nth = |lines: &[usize], at: usize| lines.get(at).copied().unwrap_or(1);
        let place = |part| {
            at(match part {
                Part::Title => title_line,
                Part::Start => url_line,
                Part::Task => goal_line,
                Part::AllSuccess => success_line,
                Part::Success(n) => nth(&success_lines, n),
                Part::Data(n) => nth(&data_lines, n),
                Part::Outcome(n) => nth(&outcome_lines, n),
                Part::Output(n) => nth(&output_lines, n),
                Part::Limit(name) => names.iter().position(|other| *other == name).map_or(1, |n| nth(&limit_lines, n)),
            })
        };
        finish(document, place, errors)
    }

    /// The goal as Markdown. [`Goal::from_markdown`] reads the same goal from it.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let goal = &self.0;
        let mut out = String::from("---\n");
        if let Some(capability) = &goal.capability {
            out.push_str(&format!("capability: {capability}\n"));
        }
        // A JSON string is a YAML string too.
        out.push_str(&format!("url: {}\n---\n", serde_json::Value::from(goal.url.as_str())));
        if let Some(title) = &goal.title {
            out.push_str(&format!("\n# {title}\n"));
        }
        out.push_str("\n## Goal\n");
        for line in goal.task.lines() {
            let escape = if line.starts_with(['#', '\\']) { "\\" } else { "" };
            out.push_str(&format!("{escape}{line}\n"));
        }
        let mut section = |name: &str, items: Vec<(String, &str)>| {
            if items.is_empty() {
                return;
            }
            out.push_str(&format!("\n## {name}\n"));
            for (text, description) in items {
                out.push_str(&format!("- {text}\n"));
                if !description.is_empty() {
                    out.push_str(&format!("  {description}\n"));
                }
            }
        };
        section("Success", goal.success.iter().map(|condition| (line::condition_text(condition), "")).collect());
        section("Data", goal.data.iter().map(|key| (line::data_text(key), key.description.as_str())).collect());
        section("Outcomes", goal.outcomes.iter().map(|it| (line::outcome_text(it), it.description.as_str())).collect());
        section("Outputs", goal.outputs.iter().map(|it| (line::output_text(it), it.description.as_str())).collect());
        section("Limits", limit_lines(&goal.limits).into_iter().map(|text| (text, "")).collect());
        out
    }
}

impl<'a> Sheet<'a> {
    fn body(&self, name: &str) -> &[(usize, &'a str)] {
        self.sections.iter().find(|section| section.name == name).map_or(&[], |section| section.body.as_slice())
    }

    fn line_of(&self, name: &str) -> usize {
        self.sections.iter().find(|section| section.name == name).map_or(1, |section| section.line)
    }

    fn front_line(&self, field: &str) -> usize {
        // The first line is the one of the dashes.
        self.front.iter().position(|line| line.starts_with(field)).map_or(1, |at| at + 2)
    }
}

fn take_apart<'a>(text: &'a str, at: &impl Fn(usize) -> Where, errors: &mut Vec<GoalError>) -> Sheet<'a> {
    let mut sheet = Sheet::default();
    let mut lines = (1usize..).zip(text.lines()).peekable();
    if lines.peek().is_some_and(|(_, line)| line.trim_end() == "---") {
        lines.next();
        let mut closed = false;
        for (_, line) in lines.by_ref() {
            closed = line.trim_end() == "---";
            if closed {
                break;
            }
            sheet.front.push(line);
        }
        if !closed {
            errors.push(
                Wrong::new("front_matter", "the front matter does not end", "end it with a line `---`").at(at(1)),
            );
        }
    }
    for (number, line) in lines {
        if let Some(heading) = line.strip_prefix("## ") {
            match section(heading.trim()) {
                Ok(name) if sheet.sections.iter().any(|section| section.name == name) => {
                    errors
                        .push(Wrong::new("twice", format!("`## {name}` stands twice"), "join the two").at(at(number)));
                    break;
                }
                Ok(name) => sheet.sections.push(Section { name, line: number, body: Vec::new() }),
                Err(wrong) => {
                    errors.push(wrong.at(at(number)));
                    break;
                }
            }
        } else if let Some(section) = sheet.sections.last_mut() {
            if line.starts_with('#') {
                let hint =
                    "headings are `# Title` and `## Section`; a line of the task that begins with `#` is written `\\#`";
                errors.push(Wrong::new("stray_text", "this heading is none that is read", hint).at(at(number)));
            }
            section.body.push((number, line));
        } else if let Some(title) = line.strip_prefix("# ").filter(|_| sheet.title.is_none()) {
            sheet.title = Some((number, title.trim()));
        } else if !line.trim().is_empty() {
            errors.push(
                Wrong::new("stray_text", "this stands before the first section", "say the job under `## Goal`")
                    .at(at(number)),
            );
        }
    }
    sheet
}

fn section(heading: &str) -> Result<&'static str, Wrong> {
    if let Some(name) = SECTIONS.iter().find(|name| name.eq_ignore_ascii_case(heading)) {
        return Ok(name);
    }
    let hint = match heading.to_lowercase().as_str() {
        "steps" | "expected" | "before" | "after" | "setup" | "teardown" => {
            "the model finds the steps; say the job under `## Goal` and its end under `## Success`".to_owned()
        }
        _ => format!("the sections are {}", SECTIONS.join(", ")),
    };
    Err(Wrong::new("unknown_section", format!("there is no section `{}`", shown(heading)), hint))
}

fn front(file: &str, sheet: &Sheet, errors: &mut Vec<GoalError>) -> Front {
    if sheet.front.iter().all(|line| line.trim().is_empty()) {
        return Front::default();
    }
    from_yaml(file, &sheet.front.join("\n")).unwrap_or_else(|error| {
        // No lines of the text are repeated: a value that does not belong there may stand in them.
        let line = error.place().map_or(1, |place| usize::try_from(place.line).unwrap_or(1) + 1);
        let message = format!("the front matter does not read ({})", error.code());
        let hint = "it has `capability`, `title` and `url`; everything else stands in sections";
        errors.push(Wrong::new("front_matter", message, hint).at(Where::Line { file: file.into(), line }));
        Front::default()
    })
}

/// The items of a section's list.
fn list(sheet: &Sheet, name: &str, at: &impl Fn(usize) -> Where, errors: &mut Vec<GoalError>) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for (line, text) in sheet.body(name) {
        if text.trim().is_empty() {
            continue;
        }
        if let Some(item) = text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")) {
            items.push(Item { line: *line, text: item.trim().to_owned(), description: String::new() });
        } else if let Some(item) = items.last_mut().filter(|_| text.starts_with([' ', '\t'])) {
            item.description = folded(&format!("{} {text}", item.description));
        } else {
            let hint = "each entry is a line that begins with `- `; what describes it is indented below it";
            errors.push(
                Wrong::new("stray_text", format!("`## {name}` is a list, and this is no entry"), hint).at(at(*line)),
            );
        }
    }
    items
}

/// Every item that reads, and the lines of all.
fn each<T>(
    items: &[Item],
    at: &impl Fn(usize) -> Where,
    errors: &mut Vec<GoalError>,
    mut read: impl FnMut(&Item) -> Result<T, Wrong>,
) -> (Vec<T>, Vec<usize>) {
    let mut out = Vec::new();
    for item in items {
        match read(item) {
            Ok(one) => out.push(one),
            Err(wrong) => errors.push(wrong.at(at(item.line))),
        }
    }
    (out, items.iter().map(|item| item.line).collect())
}

/// An item of a list whose entries are not described.
fn plain<T>(item: &Item, read: impl FnOnce(&str) -> Result<T, Wrong>) -> Result<T, Wrong> {
    if item.description.is_empty() {
        return read(&item.text);
    }
    Err(Wrong::new("stray_text", "an indented line stands below this entry", "write the entry in one line"))
}

fn unescaped(line: &str) -> &str {
    if line.starts_with("\\#") || line.starts_with("\\\\") { &line[1..] } else { line }
}

/// The limits that differ from the standard.
fn limit_lines(limits: &Limits) -> Vec<String> {
    let standard = Limits::default();
    let lines = [
        (limits.steps != standard.steps, format!("steps: {}", limits.steps)),
        (limits.model_calls != standard.model_calls, format!("model calls: {}", limits.model_calls)),
        (limits.seconds != standard.seconds, format!("seconds: {}", limits.seconds)),
        (limits.usd != standard.usd, format!("usd: {}", limits.usd)),
        (limits.call_seconds != standard.call_seconds, format!("call seconds: {}", limits.call_seconds)),
    ];
    lines.into_iter().filter(|(differs, _)| *differs).map(|(_, line)| line).collect()
}
