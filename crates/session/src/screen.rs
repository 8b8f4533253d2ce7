//! What of a screen must not be seen: found leaf by leaf, and where a page wrote one value in several pieces.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use waymark_redact::{MASK, Redactor};
use waymark_snapshot::{Ix, Node, NodeId, Role, ScopeId, SnapshotBuilder, State, UiSnapshot, print};
use waymark_surface::Hidden;

/// Bytes from which on a value is believed to be written over several lines or fields. Shorter ones come about by chance
/// where numbers stand one below the other.
const SPREAD: usize = 8;

/// What must not be seen of the screens of a run.
#[derive(Clone)]
pub(crate) struct Concealed {
    pub(crate) redactor: Arc<Redactor>,
    /// Fields into which something was typed that must not be seen: a page may write it in a way of its own.
    pub(crate) fields: BTreeSet<NodeId>,
}

impl Hidden for Concealed {
    fn nodes(&self, screen: &UiSnapshot) -> Vec<NodeId> {
        let mut hidden: BTreeSet<Ix> = pieces(screen, &self.redactor).into_keys().collect();
        hidden.extend(screen.iter().filter(|(_, node)| self.shows(node)).map(|(ix, _)| ix));
        hidden.into_iter().map(|ix| screen.node(ix).id.clone()).collect()
    }

    fn text(&self, text: &str) -> bool {
        !self.redactor.ranges(text).is_empty()
    }

    fn any(&self) -> bool {
        self.redactor.knows_any()
    }
}

impl Concealed {
    /// Whether a control is drawn with something that must not be seen. Texts are looked at piece by piece.
    fn shows(&self, node: &Node) -> bool {
        let drawn = node.role.is_control() && node.role != Role::Text;
        node.is(State::Protected)
            || self.fields.contains(&node.id)
            // What is too long to be read whole may hold anything.
            || (self.any() && [Some(&node.name), node.value.as_ref()].into_iter().flatten().any(|text| text.ends_with("…[cut]")))
            || (drawn && self.text(&node.name))
            || (drawn && node.detail.placeholder.as_deref().is_some_and(|text| self.text(text)))
            || node.value.as_deref().is_some_and(|text| self.text(text))
            || node.detail.options.iter().any(|option| option.selected && self.text(&option.text))
    }
}

impl Concealed {
    /// A screen as text, without what only a look at the whole screen finds: values in several pieces, and what stands in
    /// fields of secrets. Whatever stands in one piece is left to the writer of the text.
    pub(crate) fn print(&self, screen: &UiSnapshot) -> String {
        print(&self.masked(screen))
    }

    /// The screen with masks in those places.
    pub(crate) fn masked(&self, screen: &UiSnapshot) -> UiSnapshot {
        let pieces = pieces(screen, &self.redactor);
        let strange = |node: &Node| {
            self.fields.contains(&node.id) && node.value.as_deref().is_some_and(|v| !v.is_empty() && !self.text(v))
        };
        if pieces.is_empty() && !screen.nodes().iter().any(strange) {
            return screen.clone();
        }
        let mut builder = SnapshotBuilder::new();
        for scope in screen.scopes() {
            builder.scope(scope.clone());
        }
        for (ix, node) in screen.iter() {
            let depth = screen.ancestors(ix).count();
            while builder.depth() > depth {
                builder.close();
            }
            let mut node = node.clone();
            if strange(&node) {
                node.value = Some(MASK.to_owned());
            } else if let Some(ranges) = pieces.get(&ix) {
                match &mut node.value {
                    Some(value) if node.role != Role::Text => *value = without(value, ranges),
                    _ => node.name = without(&node.name, ranges),
                }
            }
            builder.open(node);
        }
        builder.finish()
    }
}

/// Where values stand in the texts and in the values of fields of a screen, by node: the parts of each that belong to one.
fn pieces(screen: &UiSnapshot, redactor: &Redactor) -> BTreeMap<Ix, Vec<Range<usize>>> {
    let mut found = BTreeMap::new();
    let mut scopes: BTreeMap<ScopeId, Vec<Line>> = BTreeMap::new();
    let mut open: BTreeMap<(ScopeId, u32), usize> = BTreeMap::new();
    for (ix, node) in screen.iter() {
        let lines = scopes.entry(node.scope).or_default();
        match &node.value {
            _ if node.role == Role::Text => {
                let at = *open.entry((node.scope, node.block)).or_insert_with(|| {
                    lines.push(Line::default());
                    lines.len() - 1
                });
                lines[at].add(ix, &node.name);
            }
            Some(value) => {
                lines.push(Line::default());
                if let Some(line) = lines.last_mut() {
                    line.add(ix, value);
                }
            }
            None => {}
        }
    }
    for lines in scopes.values() {
        let mut all = Line::default();
        for line in lines {
            for range in redactor.ranges(&line.text) {
                line.note(&range, &mut found);
            }
            all.append(line);
        }
        for range in redactor.ranges(&all.text) {
            let dense: usize = all.text[range.clone()].split_whitespace().map(str::len).sum();
            if dense >= SPREAD && all.text[range.clone()].contains('\n') {
                all.note(&range, &mut found);
            }
        }
    }
    found
}

/// Texts that stand one after the other.
#[derive(Default)]
struct Line {
    text: String,
    parts: Vec<(Ix, Range<usize>)>,
}

impl Line {
    fn add(&mut self, ix: Ix, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.parts.push((ix, start..self.text.len()));
    }

    fn append(&mut self, line: &Line) {
        let start = self.text.len();
        self.text.push_str(&line.text);
        self.text.push('\n');
        self.parts.extend(line.parts.iter().map(|(ix, part)| (*ix, part.start + start..part.end + start)));
    }

    /// Notes which part of which node a range covers.
    fn note(&self, range: &Range<usize>, found: &mut BTreeMap<Ix, Vec<Range<usize>>>) {
        for (ix, part) in &self.parts {
            let (start, end) = (range.start.max(part.start), range.end.min(part.end));
            if start < end {
                found.entry(*ix).or_default().push(start - part.start..end - part.start);
            }
        }
    }
}

/// A text with a mask in place of each range.
fn without(text: &str, ranges: &[Range<usize>]) -> String {
    let mut sorted = ranges.to_vec();
    sorted.sort_by_key(|range| range.start);
    let mut out = String::new();
    let mut at = 0;
    for range in sorted {
        if range.end <= at {
            continue;
        }
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(MASK);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use waymark_redact::Rules;
    use waymark_snapshot::parse;

    use super::*;

    fn redactor(values: &[&str]) -> Arc<Redactor> {
        let redactor = Redactor::new(&Rules::default()).unwrap();
        for value in values {
            redactor.register("secret", value).unwrap();
        }
        Arc::new(redactor)
    }

    /// What is hidden of a screen, and how the screen reads without it.
    fn check(values: &[&str], screen: &str, hidden: &[&str], left: &[&str]) {
        let screen = parse(&format!("window main #w\n{screen}")).unwrap();
        let redactor = redactor(values);
        let fields = screen.nodes().iter().filter(|n| n.name == "Secret").map(|n| n.id.clone()).collect();
        let concealed = Concealed { redactor: redactor.clone(), fields };
        let nodes = concealed.nodes(&screen);
        assert_eq!(nodes.iter().map(NodeId::as_str).collect::<Vec<_>>(), hidden);
        let text = redactor.redact_text(&concealed.print(&screen)).replace("‹redacted:secret›", MASK);
        assert!(!redactor.finds(&text), "{text}");
        for part in left {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }

    #[test]
    fn a_value_in_one_piece_is_hidden_with_its_leaf() {
        check(
            &["hunter2x"],
            "  text \"to hunter2x now\" block=1 #1\n  text \"else\" block=2 #2\n",
            &["1"],
            &["to ••• now", "else"],
        );
    }

    #[test]
    fn a_value_over_several_leaves_of_a_line_is_hidden_in_all_of_them() {
        check(
            &["55023"],
            "  text \"no 55\" block=1 #1\n  text \"023\" block=1 #2\n  text \" open\" block=1 #3\n",
            &["1", "2"],
            &["no •••", "\" open\""],
        );
    }

    #[test]
    fn a_long_value_over_several_lines_or_fields_is_hidden() {
        check(
            &["4000123412341234"],
            "  textbox \"a\" = \"4000\" #1\n  textbox \"b\" = \"1234\" #2\n  textbox \"c\" = \"1234\" #3\n  textbox \"d\" = \"1234\" #4\n  textbox \"e\" = \"1234\" #5\n",
            &["1", "2", "3", "4"],
            &["1234"],
        );
        check(&["Frank O'Neil"], "  text \"Frank\" block=1 #1\n  text \"O'Neil\" block=2 #2\n", &["1", "2"], &[]);
    }

    #[test]
    fn a_field_of_a_secret_is_hidden_whatever_the_page_makes_of_it() {
        check(
            &["hunter2x"],
            "  textbox \"Secret\" = \"x2retnuh\" #1\n  textbox \"b\" = \"else\" #2\n",
            &["1"],
            &["= \"•••\"", "else"],
        );
        check(&["hunter2x"], "  textbox \"Secret\" = \"hunter2x\" #1\n", &["1"], &["= \"•••\""]);
        check(&["hunter2x"], "  textbox \"Secret\" = \"\" #1\n", &["1"], &["= \"\""]);
    }

    #[test]
    fn short_numbers_one_below_the_other_are_no_value() {
        check(&["12345"], "  text \"12\" block=1 #1\n  text \"345\" block=2 #2\n", &[], &["12", "345"]);
    }

    #[test]
    fn protected_fields_chosen_options_hints_and_names_of_buttons_are_hidden() {
        check(
            &["hunter2x"],
            "  textbox \"Password\" [protected] #1\n  combobox \"To\" = \"hunter2x\" #2\n  button \"Pay hunter2x\" #3\n  textbox \"x\" #4 placeholder=\"hunter2x\"\n  group \"hunter2x\" #5\n",
            &["1", "2", "3", "4"],
            &[],
        );
    }

    #[test]
    fn what_is_too_long_to_be_read_is_hidden_where_there_are_secrets() {
        check(&["hunter2x"], "  text \"begins…[cut]\" block=1 #1\n", &["1"], &["begins"]);
        check(&[], "  text \"begins…[cut]\" block=1 #1\n", &[], &["begins"]);
    }
}
