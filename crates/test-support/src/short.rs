//! The short form of a document, spelled out.
//!
//! A thing is `button "Go"` (role and name), `label textbox "Amount"` (role and caption) or the full map. A
//! condition is a thing, `no` and a thing, `text "…"`, `no text "…"`, `window "…"`, `dialog closed`, a list of which
//! all must hold, or the full map. A value is `param.NAME`, `cred.NAME`, `var.NAME` or a literal.

use serde_json::{Map, Value as Json, json};

/// The document that a short one stands for.
pub(crate) fn document(short: Json) -> Json {
    let mut short = object(short);
    let mut full = object(json!({
        "schema": "waymark.artifact/1",
        "id": "app.job",
        "version": "1.0.0",
        "title": "A job",
        "description": "Does a job.",
        "application": {"name": "App", "surface": "web", "entry": "http://app.test/start"},
        "engine": {"ladder": 1, "settle": 1},
        "provenance": {"source": "hand", "author": "a test", "created_at": "2026-11-30T00:00:00Z"},
    }));
    for (list, each) in [
        ("steps", step as fn(Map<String, Json>) -> Json),
        ("outcomes", outcome),
        ("recoveries", recovery),
        ("subflows", subflow),
        ("parameters", described),
        ("outputs", described),
        ("variables", described),
        ("credentials", described),
    ] {
        if let Some(Json::Array(items)) = short.remove(list) {
            full.insert(list.into(), items.into_iter().map(|item| each(object(item))).collect());
        }
    }
    let end = short.remove("end").unwrap_or_else(|| json!({"kind": "dialog_closed"}));
    full.insert("checkpoint".into(), checkpoint(end));
    if let Some(triggers) = short.remove("triggers") {
        full.insert("escalation".into(), json!({ "triggers": triggers }));
    }
    full.extend(short);
    Json::Object(full)
}

fn step(mut short: Map<String, Json>) -> Json {
    let mut full = Map::new();
    full.insert("action".into(), action(&mut short));
    for (from, to) in [("check", "checkpoint"), ("pre", "precondition")] {
        if let Some(condition) = short.remove(from) {
            full.insert(to.into(), checkpoint(condition));
        }
    }
    let mut opens = Map::new();
    if let Some(Json::Array(dialogs)) = short.remove("dialogs") {
        opens.insert("dialogs".into(), dialogs.into_iter().map(dialog).collect());
    }
    if let Some(name) = short.remove("opens") {
        opens.insert("window".into(), json!({ "name": name }));
    }
    if let Some(output) = short.remove("download") {
        opens.insert("download".into(), json!({ "into": output }));
    }
    if !opens.is_empty() {
        full.insert("opens".into(), Json::Object(opens));
    }
    if let Some(parameter) = short.remove("only_if") {
        full.insert("only_if".into(), json!({ "parameter": parameter }));
    }
    if let Some(deadline) = short.remove("deadline") {
        full.insert("deadline_ms".into(), deadline);
    }
    if let Some(Json::Object(mut reconcile)) = short.remove("reconcile") {
        let mut out = object(json!({"description": "Looks the record up.", "subflow": reconcile.remove("run")}));
        for key in ["landed", "not_landed"] {
            if let Some(when) = reconcile.remove(key) {
                out.insert(key.into(), condition(when));
            }
        }
        full.insert("reconcile".into(), Json::Object(out));
    }
    full.extend(short);
    Json::Object(full)
}

fn action(short: &mut Map<String, Json>) -> Json {
    let mut take = |key: &str| short.remove(key);
    if let Some(on) = take("click") {
        return json!({"kind": "click", "target": target(on)});
    }
    if let Some(on) = take("type") {
        let mut out = object(json!({"kind": "type", "target": target(on), "value": value(take("value"))}));
        for key in ["typing", "format"] {
            out.extend(take(key).map(|v| (key.to_owned(), v)));
        }
        return Json::Object(out);
    }
    if let Some(on) = take("choose") {
        let rule = take("rule").unwrap_or_else(|| json!("equals"));
        return json!({"kind": "choose", "target": target(on), "option": value(take("value")), "rule": rule});
    }
    if let Some(on) = take("set") {
        return json!({"kind": "set_checked", "target": target(on), "checked": value(take("value"))});
    }
    if let Some(key) = take("key") {
        return match take("focus") {
            Some(on) => json!({"kind": "press_key", "key": key, "target": target(on)}),
            None => json!({"kind": "press_key", "key": key}),
        };
    }
    if let Some(from) = take("read") {
        let part = take("part").unwrap_or_else(|| json!("text"));
        return json!({"kind": "read", "target": target(from), "into": take("into"), "part": part});
    }
    if let Some(from) = take("rows") {
        let columns: Vec<Json> = object(take("columns").unwrap_or_default())
            .into_iter()
            .map(|(column, header)| json!({"column": column, "header": header}))
            .collect();
        let rows = take("first").map_or_else(|| json!("all"), |n| json!({ "first": n }));
        let except: Vec<Json> = match take("except") {
            Some(Json::Array(texts)) => texts.into_iter().map(|text| json!({ "equals": text })).collect(),
            _ => Vec::new(),
        };
        return json!({"kind": "read_table", "target": target(from), "into": take("into"), "columns": columns,
            "rows": rows, "except": except});
    }
    if let Some(until) = take("wait") {
        return json!({"kind": "wait_for", "condition": condition(until)});
    }
    if let Some(location) = take("open") {
        return json!({"kind": "open", "location": location});
    }
    if let Some(on) = take("upload") {
        return json!({"kind": "upload", "target": target(on), "file": value(take("value"))});
    }
    if let Some(on) = take("scroll") {
        return json!({"kind": "scroll_to_load", "target": target(on), "until": {"kind": "dialog_closed"}, "limit": 3});
    }
    panic!("a step without an action: {short:?}")
}

fn outcome(mut short: Map<String, Json>) -> Json {
    let mut guard = Map::new();
    if let Some(absent) = short.remove("absent") {
        guard.insert("absent".into(), condition(absent));
    }
    for (from, to) in [("stable", "stable_for_ms"), ("request", "after_request")] {
        guard.extend(short.remove(from).map(|v| (to.to_owned(), v)));
    }
    let detector = match (short.remove("when"), short.remove("at")) {
        (Some(when), _) => json!({ "condition": condition(when) }),
        (None, at) => json!({"resolution": {"step": at, "result": short.remove("result")}}),
    };
    let mut full = described_map(short, "code");
    full.insert("detector".into(), detector);
    if !guard.is_empty() {
        full.insert("guard".into(), Json::Object(guard));
    }
    Json::Object(full)
}

fn recovery(mut short: Map<String, Json>) -> Json {
    let when = condition(short.remove("when").unwrap_or_default());
    let then = match short.remove("then") {
        Some(then) if then == "rewalk" => "rewalk_from_safe_point",
        _ => "continue",
    };
    let remedy = if let Some(subflow) = short.remove("run") {
        json!({"run": {"subflow": subflow}})
    } else if let Some(until) = short.remove("wait") {
        json!({"wait": {"until": condition(until), "deadline_ms": short.remove("deadline").unwrap_or_else(|| json!(1000))}})
    } else if let Some(answered) = short.remove("answer") {
        json!({"answer": {"dialog": dialog(answered)}})
    } else {
        let check = checkpoint(short.remove("check").unwrap_or_default());
        json!({"act": {"action": action(&mut short), "checkpoint": check}})
    };
    let mut full = described_map(short, "id");
    full.insert("when".into(), when);
    full.insert("remedy".into(), remedy);
    full.insert("then".into(), json!(then));
    Json::Object(full)
}

fn subflow(mut short: Map<String, Json>) -> Json {
    if let (Some(from), Some(to)) = (short.remove("from"), short.remove("to")) {
        short.insert("body".into(), json!({"steps": {"from": from, "to": to}}));
    }
    Json::Object(short)
}

fn described(short: Map<String, Json>) -> Json {
    Json::Object(described_map(short, "name"))
}

fn described_map(mut short: Map<String, Json>, key: &str) -> Map<String, Json> {
    let words = short.get(key).cloned().unwrap_or_default();
    short.entry("description").or_insert(words);
    short
}

/// `confirm "Sure?" accept`, `prompt "Why?" = param.reason`, with `risky` behind it where the answer is.
fn dialog(short: Json) -> Json {
    let Json::String(text) = short else { return short };
    let (kind, rest) = text.split_once(' ').expect("kind, text and answer of a dialog");
    let (said, rest) = quoted(rest);
    let (rest, risk) = match rest.trim().strip_suffix("risky") {
        Some(rest) => (rest.trim(), "risky"),
        None => (rest.trim(), "safe"),
    };
    let answer = match rest.strip_prefix("= ") {
        Some(text) => json!({ "text": value(Some(json!(text))) }),
        None => json!(rest),
    };
    json!({"kind": kind, "text": {"text": said, "rule": "equals"}, "answer": answer, "risk": risk})
}

fn checkpoint(short: Json) -> Json {
    match short {
        Json::Object(map) if map.contains_key("condition") => Json::Object(map),
        short => {
            let words = match &short {
                Json::String(text) => text.clone(),
                _ => "All of it.".to_owned(),
            };
            json!({"description": words, "condition": condition(short)})
        }
    }
}

fn condition(short: Json) -> Json {
    match short {
        Json::String(text) => simple(&text),
        Json::Array(of) => json!({"kind": "all", "of": of.into_iter().map(condition).collect::<Vec<_>>()}),
        full => full,
    }
}

fn simple(text: &str) -> Json {
    let (no, rest) = match text.strip_prefix("no ") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if rest == "dialog closed" {
        return json!({"kind": "dialog_closed"});
    }
    let kind = |present: &str, absent: &str| if no { absent.to_owned() } else { present.to_owned() };
    if let Some(text) = rest.strip_prefix("text ") {
        return json!({"kind": kind("text_present", "text_absent"), "match": {"text": quoted(text).0}});
    }
    if let Some(name) = rest.strip_prefix("window ") {
        return json!({"kind": kind("window_opened", "window_closed"), "name": quoted(name).0});
    }
    if let Some(name) = rest.strip_prefix("output ") {
        return json!({"kind": "output_not_empty", "output": name});
    }
    json!({"kind": kind("element_present", "element_absent"), "element": {"find": rung(rest)}})
}

fn target(short: Json) -> Json {
    match short {
        Json::String(text) => json!({"description": text, "candidates": [{"find": rung(&text)}]}),
        full => full,
    }
}

fn rung(text: &str) -> Json {
    let (word, rest) = text.split_once(' ').expect("role and name");
    if word == "label" {
        let (role, rest) = rest.split_once(' ').expect("role and caption");
        return json!({"rung": "label", "role": role, "label": quoted(rest).0});
    }
    json!({"rung": "role_name", "role": word, "name": quoted(rest).0})
}

fn value(short: Option<Json>) -> Json {
    let Some(short) = short else { panic!("a value is missing") };
    let text = match short {
        Json::String(text) => text,
        Json::Object(_) => return short,
        other => other.to_string(),
    };
    for (word, from) in [("param.", "parameter"), ("cred.", "credential"), ("var.", "variable")] {
        if let Some(name) = text.strip_prefix(word) {
            return json!({"from": from, "name": name});
        }
    }
    json!({"from": "literal", "value": text})
}

/// A quoted text at the beginning, and what follows.
pub(crate) fn quoted(text: &str) -> (String, &str) {
    let inner = text.trim_start().strip_prefix('"').unwrap_or_else(|| panic!("`{text}` does not begin with a quote"));
    let (said, rest) = inner.split_once('"').unwrap_or_else(|| panic!("`{text}` has no end"));
    (said.to_owned(), rest)
}

fn object(json: Json) -> Map<String, Json> {
    match json {
        Json::Object(map) => map,
        Json::Null => Map::new(),
        other => panic!("{other} is no map"),
    }
}
