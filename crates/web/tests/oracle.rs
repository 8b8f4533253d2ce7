//! The browser's own accessibility tree judges the roles and names that the agent computes.
//!
//! The pages and the differences that are meant lie in `fixtures/accname`.
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use std::collections::BTreeMap;
use std::path::PathBuf;

use common::{Server, block_on, launch, session};
use serde_json::{Value, json};
use waymark_snapshot::WindowKey;
use waymark_web::{BrowserKind, Probe};

/// Roles a person acts on, in the agent's words; other elements are compared where they can take the focus.
const INTERACTIVE: &str = " button link textbox searchbox combobox listbox option checkbox radio switch slider spinbutton menuitem \
    menuitemcheckbox menuitemradio tab treeitem scrollbar date time datetime color gridcell ";

/// What the page tells about the element that a node of the tree stands for.
const ABOUT: &str = "function() {
  const root = this.getRootNode();
  const host = root instanceof ShadowRoot ? root.host : null;
  const rect = this.getBoundingClientRect();
  return {
    id: wm.adopt(this),
    area: rect.width * rect.height,
    inner: host !== null && /^(input|details|img|select|video|audio|meter|progress|textarea)$/.test(host.localName),
    differs: this.getAttribute('data-differs'),
    html: this.outerHTML.replace(/\\s+/g, ' ').slice(0, 120),
  };
}";

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/accname"))
}

/// The tree's word for a role in the agent's vocabulary; `None` for what the agent does not call interactive by itself.
fn translated(role: &str) -> Option<&str> {
    Some(match role {
        "RootWebArea" | "StaticText" | "InlineTextBox" | "ListMarker" | "LineBreak" | "MenuListPopup" | "Video"
        | "Audio" => return None,
        "image" | "SvgRoot" | "Canvas" => "img",
        "Iframe" => "frame",
        "DisclosureTriangle" | "DisclosureTriangleGrouped" | "ToggleButton" | "PopUpButton" => "button",
        "LayoutTable" => "table",
        "LayoutTableRow" => "row",
        "LayoutTableCell" => "cell",
        "ColorWell" => "color",
        "Date" => "date",
        "DateTime" => "datetime",
        "InputTime" => "time",
        "Details" => "group",
        "Abbr"
        | "LabelText"
        | "Legend"
        | "Figcaption"
        | "DescriptionList"
        | "HeaderAsNonLandmark"
        | "FooterAsNonLandmark"
        | "sectionheader"
        | "sectionfooter"
        | "Section"
        | "Pre"
        | "EmbeddedObject"
        | "PluginObject" => "generic",
        other => other,
    })
}

fn folded(name: &str) -> String {
    name.replace('\u{200b}', " ").split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Agreements of a page, and its disagreements as (key, line).
async fn compared(probe: &Probe, page: &str) -> (usize, Vec<(Option<String>, String)>) {
    let walk = probe.agent("wm.walk({hints: []})").await.unwrap();
    let ours: BTreeMap<u64, &Value> =
        walk["nodes"].as_array().unwrap().iter().map(|node| (node[0].as_u64().unwrap(), node)).collect();
    let tree = probe.call("Page.getFrameTree", json!({})).await.unwrap();
    // A world of a known name is given again, not made anew.
    let world = json!({"frameId": tree["frameTree"]["frame"]["id"], "worldName": "waymark"});
    let context = probe.call("Page.createIsolatedWorld", world).await.unwrap()["executionContextId"].clone();
    let tree = probe.call("Accessibility.getFullAXTree", json!({})).await.unwrap();
    let (mut agreed, mut differing) = (0, Vec::new());
    for node in tree["nodes"].as_array().unwrap() {
        let backend = &node["backendDOMNodeId"];
        let Some(role) = translated(node["role"]["value"].as_str().unwrap_or_default()) else { continue };
        let focusable = node["properties"]
            .as_array()
            .is_some_and(|list| list.iter().any(|p| p["name"] == "focusable" && p["value"]["value"] == true));
        let wanted = INTERACTIVE.contains(&format!(" {role} ")) || (focusable && role != "generic");
        if node["ignored"] == true || backend.is_null() || !wanted {
            continue;
        }
        let resolved = probe
            .call("DOM.resolveNode", json!({"backendNodeId": backend, "executionContextId": context}))
            .await
            .unwrap();
        let about = probe
            .call(
                "Runtime.callFunctionOn",
                json!({"functionDeclaration": ABOUT, "objectId": resolved["object"]["objectId"], "returnByValue": true}),
            )
            .await
            .unwrap()["result"]["value"]
            .clone();
        if about["inner"] == true || about["area"].as_f64() == Some(0.0) {
            continue;
        }
        let name = folded(node["name"]["value"].as_str().unwrap_or_default());
        let found = ours.get(&about["id"].as_u64().unwrap());
        // A file field is a button to the tree.
        let as_tree = |node: &Value| node[2].as_str().unwrap().replace("file", "button");
        let agrees = found.is_some_and(|node| as_tree(node) == role && folded(node[3].as_str().unwrap()) == name);
        let key = about["differs"].as_str().map(str::to_owned);
        if agrees && key.is_none() {
            agreed += 1;
            continue;
        }
        let said = found.map_or_else(|| "nothing".to_owned(), |node| format!("{} {}", node[2], node[3]));
        let verdict = if agrees { "agrees although marked: " } else { "" };
        let line = format!("{page}: {verdict}tree {role:?} {name:?}, agent {said}: {}", about["html"]);
        differing.push((key.filter(|_| !agrees), line));
    }
    (agreed, differing)
}

#[test]
fn roles_and_names_are_those_of_the_browsers_own_tree() {
    let reasons = std::fs::read_to_string(folder().join("differences.md")).unwrap();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "html"));
    files.sort();
    assert!(!files.is_empty(), "no page to compare");
    let mut agreed = 0;
    let mut differing = Vec::new();
    block_on(async {
        let server = Server::start(&[]).await;
        let browser = launch(BrowserKind::Shell).await;
        let driver = session(&browser).await;
        let probe = driver.probe(&WindowKey::main()).unwrap();
        for file in files {
            let page = format!("/{}", file.file_name().unwrap().to_str().unwrap());
            server.answer(&page, common::Answer::Page(std::fs::read_to_string(&file).unwrap()));
            probe.open(&server.url(&page)).await.unwrap();
            let (same, other) = compared(&probe, &page).await;
            assert!(same > 0, "{page}: nothing was compared");
            agreed += same;
            differing.extend(other);
        }
        drop(driver);
        browser.close().await;
    });
    let total = agreed + differing.len();
    println!("{agreed} of {total} agree");
    let mut unexplained = Vec::new();
    for (key, line) in &differing {
        println!("{line}");
        let known = key.as_ref().is_some_and(|key| reasons.contains(&format!("| `{key}` |")));
        if !known {
            unexplained.push(line.as_str());
        }
    }
    assert!(unexplained.is_empty(), "not in differences.md:\n{}", unexplained.join("\n"));
    assert!(agreed * 100 >= total * 99, "only {agreed} of {total} agree");
}
