//! One page, every frame of it: what the agent says beside what the browser's own tree says.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use serde_json::{Value, json};
use waymark_web::Probe;

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

/// Nothing changes any more while two views of a document are compared. Timers belong to the document, whichever
/// script set them.
const STILL: &str = "for (let last = setTimeout(() => {}, 0); last > 0; last -= 1) clearTimeout(last); 0";

/// What came of a page.
#[derive(Default)]
pub struct Compared {
    pub agreed: usize,
    pub differing: Vec<Difference>,
}

/// One element about which the two disagree, or were expected to and do not.
pub struct Difference {
    pub page: String,
    /// What the element was marked with, unless it agrees although it is marked.
    pub mark: Option<String>,
    /// Role and folded name as the tree has them.
    pub tree: String,
    /// Role and name as the agent has them, or `nothing`.
    pub agent: String,
    /// For the reader of a failure.
    pub about: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: tree `{}`, agent `{}`: {}", self.page, self.tree, self.agent, self.about)
    }
}

/// Compares all frames of the page that is open.
pub async fn compared(probe: &Probe, page: &str) -> Compared {
    let tree = probe.call("Page.getFrameTree", json!({})).await.unwrap();
    let mut frames = Vec::new();
    gather(&tree["frameTree"], &mut frames);
    let mut all = Compared::default();
    for frame in frames {
        compare_frame(probe, page, &frame, &mut all).await;
    }
    all
}

fn gather(tree: &Value, into: &mut Vec<String>) {
    into.push(tree["frame"]["id"].as_str().unwrap().to_owned());
    for child in tree["childFrames"].as_array().into_iter().flatten() {
        gather(child, into);
    }
}

async fn compare_frame(probe: &Probe, page: &str, frame: &str, all: &mut Compared) {
    // A world of a known name is given again, not made anew.
    let world = json!({"frameId": frame, "worldName": "waymark"});
    let context = probe.call("Page.createIsolatedWorld", world).await.unwrap()["executionContextId"].clone();
    let ask = async |expression: &str| {
        let ask = json!({"contextId": context, "expression": expression, "returnByValue": true});
        probe.call("Runtime.evaluate", ask).await.unwrap()["result"]["value"].clone()
    };
    ask(STILL).await;
    let walk = ask("globalThis.wm ? wm.walk({hints: []}) : null").await;
    let tree = probe.call("Accessibility.getFullAXTree", json!({"frameId": frame})).await.unwrap();
    let wanted: Vec<(&Value, &str)> = tree["nodes"].as_array().unwrap().iter().filter_map(wanted).collect();
    // An empty frame that never ran a script has no agent before somebody looks into it.
    assert!(walk.is_object() || wanted.is_empty(), "{page}: no agent in {frame}");
    let nodes = walk["nodes"].as_array().into_iter().flatten();
    let ours: BTreeMap<u64, &Value> = nodes.map(|node| (node[0].as_u64().unwrap(), node)).collect();
    let abouts = join_all(wanted.iter().map(|(node, _)| about(probe, node, &context))).await;
    for ((node, role), about) in wanted.iter().zip(abouts) {
        if about["inner"] == true || about["area"].as_f64() == Some(0.0) {
            continue;
        }
        let name = folded(node["name"]["value"].as_str().unwrap_or_default());
        let found = ours.get(&about["id"].as_u64().unwrap());
        // A file field is a button to the tree.
        let as_tree = |node: &Value| node[2].as_str().unwrap().replace("file", "button");
        let agrees = found.is_some_and(|node| as_tree(node) == **role && folded(node[3].as_str().unwrap()) == name);
        let mark = about["differs"].as_str().map(str::to_owned);
        if agrees && mark.is_none() {
            all.agreed += 1;
            continue;
        }
        let said = |role: &str, name: &str| if name.is_empty() { role.to_owned() } else { format!("{role} {name:?}") };
        all.differing.push(Difference {
            page: page.to_owned(),
            mark: mark.filter(|_| !agrees),
            tree: said(role, &name),
            agent: found.map_or_else(
                || "nothing".to_owned(),
                |node| said(node[2].as_str().unwrap(), node[3].as_str().unwrap()),
            ),
            about: format!("{}{}", if agrees { "agrees although marked: " } else { "" }, about["html"]),
        });
    }
}

/// The role of a node that is to be compared.
fn wanted(node: &Value) -> Option<(&Value, &str)> {
    let role = translated(node["role"]["value"].as_str().unwrap_or_default())?;
    let focusable = node["properties"]
        .as_array()
        .is_some_and(|list| list.iter().any(|p| p["name"] == "focusable" && p["value"]["value"] == true));
    let wanted = INTERACTIVE.contains(&format!(" {role} ")) || (focusable && role != "generic");
    (wanted && node["ignored"] != true && !node["backendDOMNodeId"].is_null()).then_some((node, role))
}

async fn about(probe: &Probe, node: &Value, context: &Value) -> Value {
    let of = json!({"backendNodeId": node["backendDOMNodeId"], "executionContextId": context});
    let resolved = probe.call("DOM.resolveNode", of).await.unwrap();
    let ask = json!({"functionDeclaration": ABOUT, "objectId": resolved["object"]["objectId"], "returnByValue": true});
    probe.call("Runtime.callFunctionOn", ask).await.unwrap()["result"]["value"].clone()
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
