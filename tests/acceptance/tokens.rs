//! What a turn of a discovery costs: counted of the requests that an endpoint really gets.
//!
//! A server on loopback speaks OpenAI's protocol and is the model of real discoveries on three pages. Whatever it is
//! sent is counted with the vocabulary `o200k_base`, which comes within the crate. `UPDATE=1` writes the report anew.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::{root, waymark};

/// Where the report is committed.
const REPORT: &str = "evidence/evals/tokens.md";

/// What each message costs beside its text, and the beginning of the reply: as OpenAI counts.
const PER_MESSAGE: usize = 4;
const REPLY: usize = 3;

/// A page with a job on it.
struct Page {
    name: &'static str,
    path: &'static str,
    /// What the caller gives.
    values: &'static str,
    /// Tokens of a turn that must not be exceeded, and those that are aimed at.
    bars: (usize, usize),
    /// Parts of the list without which the job cannot be done.
    needed: &'static [&'static str],
}

const PAGES: [Page; 3] = [
    Page {
        name: "login",
        path: "/",
        values: r#"{"user": "teller1", "password": "demo123"}"#,
        bars: (1_400, 900),
        needed: &["textbox \"USER ID\"", "textbox \"PASSWORD\"", "button \"Log In\"", "link \"Accounts\""],
    },
    Page {
        name: "overview",
        path: "/overview",
        values: "{}",
        bars: (1_800, 1_200),
        needed: &["12345", "$1000.50", "12900", "13566", "$1410.25", "table: Account | Type | Balance* | Available"],
    },
    Page {
        name: "inventory",
        path: "/inventory",
        values: r#"{"item": "ITEM 77", "quantity": "5"}"#,
        bars: (5_000, 3_000),
        needed: &["ITEM 0 | Open 100000[", "{item} | Open 100077[", "ITEM 123 | Open 100123[", "button \"Save all\""],
    },
];

/// One request, as it came.
struct Asked {
    total: usize,
    instructions: usize,
    tool: usize,
    prompt: String,
}

#[test]
fn a_turn_costs_no_more_than_it_may_and_lists_every_control_that_is_needed() -> Result<()> {
    let site = serve(|path, _| {
        let file = match path {
            "/" => "frameset.html",
            "/overview" => "overview.html",
            "/inventory" => "inventory.html",
            "/nav" => "nav.html",
            "/login" => "login.html",
            _ => return (404, "text/plain", String::new()),
        };
        let page = fs::read_to_string(root().join("fixtures/tokens").join(file)).unwrap_or_default();
        (200, "text/html; charset=utf-8", page)
    })?;
    let mut rows = Vec::new();
    for page in &PAGES {
        let asked = discovered(&site, page)?;
        ensure!(asked.len() == 2, "{}: {} requests", page.name, asked.len());
        for turn in &asked {
            for part in page.needed {
                ensure!(turn.prompt.contains(part), "{}: {part:?} is not listed:\n{}", page.name, turn.prompt);
            }
        }
        if page.name == "inventory" {
            // Fields of a column are said once, at its head; each has its number behind what it holds.
            let field = |line: &str| line.trim_start().split(" | ").nth(2).is_some_and(|cell| cell.ends_with(']'));
            let rows = asked[0]
                .prompt
                .lines()
                .filter(|line| line.trim_start().starts_with("ITEM ") || line.contains("{item} |"));
            let fields = rows.filter(|line| field(line)).count();
            ensure!(fields == 124, "{fields} fields of 124 are listed:\n{}", asked[0].prompt);
        }
        let most = asked.iter().max_by_key(|turn| turn.total).context("nothing was asked")?;
        let (must, aim) = page.bars;
        rows.push(format!(
            "| {} | {} | {} | {} | {must} | {aim} |",
            page.name, most.total, most.instructions, most.tool
        ));
        ensure!(most.total <= must, "{}: {} tokens, at most {must}:\n{}", page.name, most.total, most.prompt);
    }
    let report = format!(
        "# Tokens of a turn\n\nOf the larger of the first two requests of a real discovery, as an endpoint on loopback \
         got them: instructions,\nquestion and tool, counted with o200k_base. `./x long tokens` writes this anew.\n\n\
         | Page | Tokens | of them instructions | of them the tool | At most | Aim |\n|---|---|---|---|---|---|\n{}\n",
        rows.join("\n")
    );
    let file = root().join(REPORT);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, &report)?;
    }
    assert_eq!(report, fs::read_to_string(&file).unwrap_or_default(), "UPDATE=1 writes it anew");
    Ok(())
}

/// The requests of a discovery that waits once and then gives up.
fn discovered(site: &str, page: &Page) -> Result<Vec<Asked>> {
    let bodies: Arc<Mutex<Vec<Value>>> = Arc::default();
    let heard = Arc::clone(&bodies);
    let model = serve(move |_, body| {
        let turn = heard.lock().map_or(0, |mut all| {
            all.push(serde_json::from_str(body).unwrap_or_default());
            all.len()
        });
        let action = if turn == 1 { "wait" } else { "blocked" };
        (200, "application/json", reply(action).to_string())
    })?;
    let folder = tempfile::tempdir()?;
    let config = configuration(folder.path())?;
    fs::write(folder.path().join("params.json"), page.values)?;
    let output = Command::new(waymark()?)
        .current_dir(folder.path())
        .args(["discover", "--json", "--provider", "openai", "--model", "gpt-counted", "--model-url", &model])
        .env_remove("LLM_PROVIDER")
        .env_remove("LLM_MODEL")
        .env_remove("OPENAI_API_KEY")
        .args(["--url", &format!("{site}{}", page.path), "--params-file", "params.json"])
        .arg("--goal-file")
        .arg(root().join(format!("fixtures/tokens/{}.md", page.name)))
        .arg("--config")
        .arg(config)
        .args(["--out", "artifacts", "--evidence", "evidence"])
        .output()?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() == Some(1) && told.contains("blocked"), "{}: {told}", page.name);
    let bodies = std::mem::take(&mut *bodies.lock().map_err(|_| anyhow::anyhow!("the endpoint broke"))?);
    Ok(bodies.iter().map(counted).collect())
}

fn counted(body: &Value) -> Asked {
    let tokens = |text: &str| tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len();
    let mut asked = Asked { total: REPLY, instructions: 0, tool: 0, prompt: String::new() };
    for message in body["messages"].as_array().into_iter().flatten() {
        let text = message["content"].as_str().unwrap_or_default();
        let cost = tokens(text) + PER_MESSAGE;
        asked.total += cost;
        if message["role"] == "system" {
            asked.instructions += cost;
        } else {
            asked.prompt.push_str(text);
        }
    }
    // Whatever else makes a model do something: what a provider keeps for itself (model, temperature) does not.
    for part in ["tools", "tool_choice", "response_format"] {
        if !body[part].is_null() {
            asked.tool += tokens(&body[part].to_string());
        }
    }
    asked.total += asked.tool;
    asked
}

fn reply(action: &str) -> Value {
    let arguments = json!({"reason": "it is counted", "action": action, "text": "it is counted"}).to_string();
    json!({"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-counted",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": null,
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "act", "arguments": arguments}}]}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
}

/// A configuration under which the pages may be opened.
fn configuration(folder: &Path) -> Result<std::path::PathBuf> {
    let config = folder.join("config");
    fs::create_dir_all(config.join("profiles"))?;
    for file in ["risk_policy.yaml", "redaction.yaml"] {
        fs::copy(root().join("tests/bench/config").join(file), config.join(file))?;
    }
    let allowlist = "version: 1\nallow:\n  - name: meridian\n    application: meridian\n    \
         origins: [\"http://127.0.0.1:*\"]\n    paths: [\"/\", \"/*\"]\n    methods: [GET, POST]\n    \
         actions: [open, click, type, scroll]\ndeny: []\n";
    fs::write(config.join("allowlist.yaml"), allowlist)?;
    let profile = "version: 1\napplication: meridian\ntitle: Meridian Core\nentry_point:\n  variable: base_url\n  \
         path: /\nscreen_id: null\n";
    fs::write(config.join("profiles/meridian.yaml"), profile)?;
    Ok(config)
}

/// Serves on loopback until the test ends; the address. An answer is made of the path and the body of a request.
pub(crate) fn serve<F>(answer: F) -> Result<String>
where
    F: Fn(&str, &str) -> (u16, &'static str, String) + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}", listener.local_addr()?);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = exchange(stream, &answer);
        }
    });
    Ok(address)
}

fn exchange(mut stream: TcpStream, answer: impl Fn(&str, &str) -> (u16, &'static str, String)) -> Result<()> {
    // A browser opens connections ahead of need: one that says nothing must not hold up the others.
    stream.set_read_timeout(Some(std::time::Duration::from_millis(300)))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).context("no request")?.split('?').next().unwrap_or_default().to_owned();
    let mut fields = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        fields.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = fields.get("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let (status, kind, text) = answer(&path, &String::from_utf8_lossy(&body));
    write!(
        stream,
        "HTTP/1.1 {status} OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
        text.len()
    )?;
    Ok(())
}
