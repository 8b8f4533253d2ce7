//! Ladders: every way to find a thing that finds it, and nothing else, on the screen where it was used.

use std::collections::BTreeMap;

use waymark_artifact::{Candidate, Name, Place, Relation, RowKey, Rung, RungKind, Side, TableRef, Target, Template};
use waymark_perception::{caption, describe, fingerprint, grid, label_of};
use waymark_snapshot::{Ix, Role, RoleClass, UiSnapshot, squash};
use waymark_targeting::{Hints, Resolution, resolve};

use crate::proof::place_of;
use crate::table::is_record;
use crate::{Values, hint};

/// Longer names are no names but texts.
const NAME: usize = 120;

/// What a thing is recorded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be acted on.
    Act,
    /// To be read from: what it says is what differs from run to run, and finds nothing.
    Read,
    /// To be read from, in the row that this cell of it marks.
    ReadInRow {
        /// The cell.
        row: Ix,
    },
}

impl Purpose {
    fn reads(self) -> bool {
        self != Purpose::Act
    }

    /// The cell that marks the row, where that is said.
    fn row(self) -> Option<Ix> {
        match self {
            Purpose::ReadInRow { row } => Some(row),
            Purpose::Read | Purpose::Act => None,
        }
    }
}

/// Why a thing cannot be recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTarget {
    /// Every way to it finds something else too.
    #[error("{thing} cannot be told apart from {others}")]
    NotUnique {
        /// The thing in words.
        thing: String,
        /// What else is found.
        others: String,
    },
    /// Neither a name nor anything beside it says what it is.
    #[error("{thing} has no name and nothing beside it that names it")]
    Nameless {
        /// The thing in words.
        thing: String,
    },
    /// What names it must stand in no document.
    #[error("{thing} is known by a sensitive value only")]
    Sensitive {
        /// The thing in words.
        thing: String,
    },
    /// What names it holds a value of the caller as part of a longer one: data of this run, by which no other run finds it.
    #[error("{thing} is known by a longer number or word alone of which a value of the caller is a part")]
    Data {
        /// The thing in words.
        thing: String,
    },
    /// The frame it is in has neither name nor title of its own.
    #[error("{thing} is in a frame that nothing tells apart from the others")]
    Frame {
        /// The thing in words.
        thing: String,
    },
}

/// The target by which a thing of a screen is found again, with every rung proven unique on that screen. `hint` is the kind of
/// surface and the driver's own way to it, tried last, and left out where it could lead to another thing that looks alike or
/// says what is in no document.
///
/// # Errors
/// There is no such rung.
pub fn target(
    screen: &UiSnapshot,
    node: Ix,
    values: &Values,
    purpose: Purpose,
    hint: Option<(&str, &str)>,
) -> Result<Target, NoTarget> {
    let thing = describe(screen, node);
    let place = place_of(screen, screen.node(node).scope, values);
    let Place { window, frame } = place.ok_or_else(|| NoTarget::Frame { thing: thing.clone() })?;
    let mut print = fingerprint(screen, node);
    let referenced = |text: &str| {
        values.reference(text).ok_or_else(|| match values.shows_secret(text) {
            true => NoTarget::Sensitive { thing: thing.clone() },
            false => NoTarget::Data { thing: thing.clone() },
        })
    };
    let varies = purpose.reads() && is_content(screen, node);
    if !varies {
        print.name = referenced(&squash(&screen.node(node).name))?;
    }
    let inferred = caption(screen, node);
    print.caption = inferred.as_ref().map(|caption| referenced(&caption.text)).transpose()?;
    let mut out = Target {
        description: in_words(screen, node, values, purpose),
        window,
        frame,
        candidates: Vec::new(),
        fingerprint: (!varies).then_some(print),
        name_inferred: inferred.is_some().then_some(true),
        name_source: inferred.map(|c| c.source),
    };
    let mut others = None;
    let row = in_callers_row(screen, node, values);
    for candidate in proposals(screen, node, values, varies, purpose.row()) {
        let alone = Target { candidates: vec![candidate.clone()], ..out.clone() };
        match resolve(&alone, screen, &Hints::new(), &values.bindings()) {
            // What stands in the row of the caller's value is that row's: elsewhere the same words are another thing.
            Ok(Resolution::Found(found)) if found.node == node && row && rows_of(&candidate).next().is_none() => {}
            Ok(Resolution::Found(found)) if found.node == node => {
                let kind = candidate.find.kind();
                // One way of a kind is enough: the first is the plainest.
                if !out.candidates.iter().any(|c| c.find.kind() == kind) {
                    out.candidates.push(candidate);
                }
            }
            Ok(Resolution::Ambiguous { attempts }) if others.is_none() => {
                let matches = attempts.last().map(|a| a.matches.as_slice()).unwrap_or_default();
                let named = matches.iter().filter(|ix| **ix != node).take(3).map(|ix| describe(screen, *ix));
                others = Some(named.collect::<Vec<_>>().join(", "));
            }
            _ => {}
        }
    }
    // A position says nothing by itself: it is no more than the last resort.
    if out.candidates.iter().any(|c| c.find.kind() < RungKind::Ordinal) {
        out.candidates.retain(|c| c.find.kind() != RungKind::Ordinal);
    }
    if out.candidates.is_empty() {
        return Err(match others {
            Some(others) => NoTarget::NotUnique { thing, others },
            None => NoTarget::Nameless { thing },
        });
    }
    if let Some((surface, hint)) = hint
        && hint::may_stand(hint, screen, node, &out, values)
    {
        out.candidates.push(Candidate {
            find: Rung::NativeHint { hint: BTreeMap::from([(surface.to_owned(), hint.to_owned())]) },
            within: Vec::new(),
            fingerprint: None,
            why: "where it stood, for when nothing else finds it".into(),
        });
    }
    Ok(out)
}

/// Whether the name of a thing is what it says: then another run reads another one.
fn is_content(screen: &UiSnapshot, node: Ix) -> bool {
    let it = screen.node(node);
    let name = squash(&it.name);
    !it.role.is_control() && !it.role.is_table() && (name.is_empty() || name == squash(&screen.text_of(node)))
}

/// Every way that might do, strongest first.
fn proposals(screen: &UiSnapshot, node: Ix, values: &Values, varies: bool, row: Option<Ix>) -> Vec<Candidate> {
    let it = screen.node(node);
    let role = it.role.clone();
    let mut out = Vec::new();
    let mut add = |find: Rung, within: Vec<Relation>, why: &str| {
        out.push(Candidate { find, within, fingerprint: None, why: why.to_owned() });
    };
    let name = squash(&it.name);
    let named =
        (!varies && !name.is_empty() && name.chars().count() <= NAME).then(|| values.reference(&name)).flatten();
    let relations = relations(screen, node, values, row);
    if let Some(name) = &named {
        add(Rung::RoleName { role: role.clone(), name: name.clone() }, vec![], "unique role and name");
        for (relation, why) in &relations {
            let find = Rung::RoleName { role: role.clone(), name: name.clone() };
            add(find, vec![relation.clone()], &format!("unique role and name {why}"));
        }
        let folded = || Rung::RoleNameNormalized { role: role.clone(), name: name.clone() };
        add(folded(), vec![], "carries a restyled name");
        for (relation, why) in &relations {
            add(folded(), vec![relation.clone()], &format!("carries a restyled name {why}"));
        }
    }
    let controls = matches!(role.class(), RoleClass::TextEntry | RoleClass::Choice | RoleClass::Toggle);
    let label = (controls || role == Role::File).then(|| label_of(screen, node)).flatten();
    if let Some(label) = label.filter(|l| l.chars().count() <= NAME).and_then(|l| plain(&l, values)) {
        let by_label = || Rung::Label { role: role.clone(), label: label.clone() };
        add(by_label(), vec![], "its caption is unique");
        for (relation, why) in &relations {
            add(by_label(), vec![relation.clone()], &format!("its caption is unique {why}"));
        }
    }
    for (relation, why) in &relations {
        let anchored = Rung::Anchor { role: role.clone(), name: None, relation: relation.clone() };
        add(anchored, vec![], &format!("the only {role} {why}"));
    }
    // Counted within something that has a name.
    for (relation, why) in relations.iter().filter(|(r, _)| !matches!(r, Relation::Adjacent { .. })) {
        let Ok(spans) = waymark_perception::spans(screen, it.scope, relation, &values.bindings()) else { continue };
        let alike: Vec<Ix> = screen
            .nodes_in(it.scope)
            .filter(|(ix, n)| n.role == role && spans.hold(screen, *ix))
            .map(|(ix, _)| ix)
            .collect();
        if let Some(at) = alike.iter().position(|ix| *ix == node) {
            let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            let find = Rung::Ordinal { role: role.clone(), index: count(at + 1), of: count(alike.len()) };
            add(find, vec![relation.clone()], &format!("its place among the {} {why}", alike.len()));
        }
    }
    out
}

/// Whether a thing to act on stands in a row that a value of the caller marks.
fn in_callers_row(screen: &UiSnapshot, node: Ix, values: &Values) -> bool {
    let it = screen.node(node);
    let Some(cell) = screen.closest(node, |n| n.cell.is_some()).and_then(|ix| screen.node(ix).cell) else {
        return false;
    };
    is_record(screen, cell)
        && it.role.is_control()
        && row_keys(screen, cell.table, cell.row, cell.col, values, None).first().is_some_and(|(_, by_value)| *by_value)
}

/// Whether a way looks in one row of records alone: by a column of it, or by a value of the caller. In a table that only
/// arranges the screen a row is known by its caption, and that is always the same one.
pub(crate) fn names_row(candidate: &Candidate) -> bool {
    row_keys_of(candidate).any(|key| key.column.is_some() || key.equals.parameters().next().is_some())
}

/// The parameters whose values mark the row in which a way looks; none where it looks anywhere.
pub(crate) fn rows_of(candidate: &Candidate) -> impl Iterator<Item = &Name> {
    row_keys_of(candidate).flat_map(|key| key.equals.parameters())
}

fn row_keys_of(candidate: &Candidate) -> impl Iterator<Item = &RowKey> {
    let found = match &candidate.find {
        Rung::Anchor { relation, .. } => Some(relation),
        _ => None,
    };
    candidate.within.iter().chain(found).flat_map(|relation| match relation {
        Relation::Row { keys, .. } | Relation::Cell { keys, .. } => keys.as_slice(),
        _ => &[],
    })
}

/// A caption without the colon or star behind it.
fn plain(label: &str, values: &Values) -> Option<Template> {
    let label = squash(label);
    let label = label.trim_end_matches([':', '*', ' ']);
    if label.is_empty() { None } else { values.reference(label) }
}

/// What the thing stands in or beside, nearest first, with the words for it.
fn relations(screen: &UiSnapshot, node: Ix, values: &Values, row: Option<Ix>) -> Vec<(Relation, String)> {
    let mut out = Vec::new();
    let it = screen.node(node);
    if it.role.is_table() {
        let headers = grid(screen, node);
        let header = (0..headers.columns()).find_map(|col| headers.header_over(col)).and_then(|h| values.reference(&h));
        if let Some(region) = heading_before(screen, node).and_then(|h| values.reference(&h)) {
            out.push((Relation::Region { role: None, name: region }, "under its heading".to_owned()));
        }
        if let Some(header) = &header {
            out.push((Relation::Column { header: header.clone(), table: None }, "with its first header".to_owned()));
        }
        let rest =
            (0..headers.columns()).filter_map(|col| headers.header_over(col)).filter_map(|h| values.reference(&h));
        for other in rest.filter(|other| Some(other) != header.as_ref()) {
            let why = format!("with the header \"{other}\"");
            out.push((Relation::Column { header: other, table: None }, why));
        }
        for (table, why) in table_refs(screen, node, values) {
            if let Some(header) = &header {
                out.push((Relation::Column { header: header.clone(), table: Some(table) }, why.to_owned()));
            }
        }
        if let Some(text) = text_before(screen, node).and_then(|text| values.reference(&text)) {
            out.push((Relation::Adjacent { text, side: Side::Before }, "below its caption".to_owned()));
        }
        return out;
    }
    let cell = screen.closest(node, |n| n.cell.is_some()).and_then(|ix| Some((ix, screen.node(ix).cell?)));
    if let Some((_, cell)) = cell {
        let grid = grid(screen, cell.table);
        let data = grid.data_rows().any(|row| row == cell.row);
        let header = grid.header_over(cell.col).and_then(|h| values.reference(&h));
        if data && grid.columns() > 1 {
            let marked = row.and_then(|row| screen.node(row).cell).map(|row| row.col);
            for (key, by_value) in row_keys(screen, cell.table, cell.row, cell.col, values, marked) {
                let why = if by_value { "in the row of the caller's value" } else { "in its row" };
                let keys = vec![key];
                let mut tables = vec![(None, String::new())];
                tables.extend(
                    table_refs(screen, cell.table, values).map(|(t, said)| (Some(t), format!(" of the table {said}"))),
                );
                for (table, of) in tables {
                    if let Some(header) = &header {
                        let (keys, header, table) = (keys.clone(), header.clone(), table.clone());
                        out.push((Relation::Cell { keys, header, table }, format!("{why} and column{of}")));
                    }
                    out.push((Relation::Row { keys: keys.clone(), table }, format!("{why}{of}")));
                }
            }
        }
    }
    for (ix, around) in screen.ancestors(node).filter(|(_, n)| n.scope == it.scope) {
        let region = matches!(
            around.role,
            Role::Region
                | Role::Form
                | Role::Navigation
                | Role::Main
                | Role::Dialog
                | Role::AlertDialog
                | Role::Group
                | Role::RadioGroup
                | Role::Banner
                | Role::ContentInfo
                | Role::Complementary
                | Role::Search
                | Role::TabPanel
        );
        let name = squash(&screen.node(ix).name);
        if region
            && !name.is_empty()
            && name.chars().count() <= NAME
            && let Some(name) = values.reference(&name)
        {
            let relation = Relation::Region { role: Some(around.role.clone()), name };
            out.push((relation, format!("in its {}", around.role)));
        }
    }
    if let Some(heading) = heading_before(screen, node).and_then(|h| values.reference(&h)) {
        out.push((Relation::Region { role: None, name: heading }, "under its heading".to_owned()));
    }
    if let Some((_, cell)) = cell
        && let Some(left) = cell.col.checked_sub(1).and_then(|col| grid(screen, cell.table).text(cell.row, col))
        && left.chars().any(char::is_alphabetic)
        && let Some(text) = values.reference(&left)
    {
        out.push((Relation::Adjacent { text, side: Side::Before }, "beside the cell to its left".to_owned()));
    }
    if let Some(caption) = caption(screen, node)
        && let Some(text) = values.reference(&caption.text)
    {
        out.push((Relation::Adjacent { text, side: Side::Before }, "beside its caption".to_owned()));
    }
    out
}

/// What tells a table from others besides one of its headers: all of them, its own name, or the heading above.
pub(crate) fn table_refs(
    screen: &UiSnapshot,
    table: Ix,
    values: &Values,
) -> impl Iterator<Item = (TableRef, &'static str)> {
    let grid = grid(screen, table);
    let all: Option<Vec<Template>> =
        (0..grid.columns()).filter_map(|col| grid.header_over(col)).map(|h| values.reference(&h)).collect();
    let headers = all.filter(|headers| headers.len() > 1).map(|headers| TableRef { name: None, headers });
    let called = |name: Option<String>| {
        let name = name.filter(|n| !n.is_empty() && n.chars().count() <= NAME).and_then(|n| values.reference(&n))?;
        Some(TableRef { name: Some(name), headers: Vec::new() })
    };
    let caption = screen.children(table).find(|(_, n)| n.role == Role::Caption).map(|(ix, _)| screen.text_of(ix));
    let named = called(Some(squash(&screen.node(table).name)));
    let captioned = called(caption.map(|text| squash(&text)));
    let headed = called(heading_before(screen, table));
    let why = ["with these headers", "of this name", "with this caption", "under this heading"];
    [headers, named, captioned, headed].into_iter().zip(why).filter_map(|(table, why)| Some((table?, why)))
}

/// The line of text directly before a table, in its frame and outside of other tables' data.
fn text_before(screen: &UiSnapshot, table: Ix) -> Option<String> {
    let (at, line) = screen.lines(screen.node(table).scope).into_iter().rev().find(|(at, _)| *at < table)?;
    let data = screen.closest(at, |n| n.cell.is_some()).and_then(|ix| screen.node(ix).cell);
    let data = data.is_some_and(|cell| grid(screen, cell.table).has_declared_headers());
    (!data && line.chars().any(char::is_alphabetic) && line.chars().count() <= NAME).then_some(line)
}

/// The text of the nearest heading before a thing in its frame.
pub(crate) fn heading_before(screen: &UiSnapshot, node: Ix) -> Option<String> {
    let scope = screen.node(node).scope;
    let heads = (0..node.0).rev().map(Ix).find(|ix| {
        let n = screen.node(*ix);
        n.scope == scope && n.role == Role::Heading
    })?;
    let name = squash(&screen.node(heads).name);
    (!name.is_empty() && name.chars().count() <= NAME).then_some(name)
}

/// Cells that mark a row: first one that holds a value of the caller, then the first that no other row has in its
/// column. The cell of the thing itself marks nothing.
/// Where it is said which cell marks the row, that one alone does.
fn row_keys(
    screen: &UiSnapshot,
    table: Ix,
    row: u32,
    own: u32,
    values: &Values,
    marked: Option<u32>,
) -> Vec<(RowKey, bool)> {
    let grid = grid(screen, table);
    let unique =
        |col: u32, text: &str| grid.data_rows().filter(|r| grid.text(*r, col).as_deref() == Some(text)).count() == 1;
    let key = |col: u32| -> Option<(RowKey, bool)> {
        let text = grid.text(row, col).filter(|t| !t.is_empty() && t.chars().count() <= NAME && unique(col, t))?;
        let equals = values.reference(&text)?;
        let by_value = equals.parameters().next().is_some();
        let column = grid.header_over(col).map(|h| values.reference(&h));
        let column = match column {
            Some(header) => Some(header?),
            None => None,
        };
        Some((RowKey { column, equals }, by_value))
    };
    let mut all: Vec<(u32, RowKey, bool)> = (0..grid.columns())
        .filter(|col| marked.is_none_or(|marked| marked == *col))
        .filter_map(|col| key(col).map(|(key, by_value)| (col, key, by_value)))
        .collect();
    all.sort_by_key(|(col, _, by_value)| (!by_value, *col == own, *col));
    all.into_iter().take(2).map(|(_, key, by_value)| (key, by_value)).collect()
}

/// What a person would call the thing, without this run's values.
pub(crate) fn in_words(screen: &UiSnapshot, node: Ix, values: &Values, purpose: Purpose) -> String {
    let it = screen.node(node);
    let varies = purpose.reads() && is_content(screen, node);
    let label = purpose
        .row()
        .and_then(|row| in_row(screen, node, row))
        .or_else(|| varies.then(|| beside(screen, node)).flatten())
        .or_else(|| label_of(screen, node).filter(|_| !varies))
        .or_else(|| it.role.is_table().then(|| heading_before(screen, node)).flatten())
        .or_else(|| {
            let text = squash(&screen.text_of(node));
            (!varies && !text.is_empty() && text.chars().count() <= 60 && !it.role.is_table()).then_some(text)
        })
        .unwrap_or_default();
    let kind = match it.role {
        Role::TextBox | Role::SearchBox | Role::SpinButton | Role::Date | Role::DateTime | Role::Time => "field",
        Role::ComboBox | Role::ListBox => "list",
        Role::CheckBox | Role::Switch => "check box",
        Role::Cell | Role::GridCell => "cell",
        ref other => other.as_str(),
    };
    let label = values.veiled(label.trim_end_matches([':', '*', ' ']));
    if label.is_empty() { format!("the {kind} without a name") } else { format!("the {kind} \"{label}\"") }
}

/// What a person would call a cell in the row that another one marks.
fn in_row(screen: &UiSnapshot, node: Ix, row: Ix) -> Option<String> {
    let cell = screen.node(screen.closest(node, |n| n.cell.is_some())?).cell?;
    let header = grid(screen, cell.table).header_over(cell.col)?;
    Some(format!("{header} of {}", squash(&screen.text_of(row))))
}

/// What a person would call a place that is read: the header over it, or the cell to its left.
#[must_use]
pub fn beside(screen: &UiSnapshot, node: Ix) -> Option<String> {
    let cell = screen.node(screen.closest(node, |n| n.cell.is_some())?).cell?;
    let grid = grid(screen, cell.table);
    let left = || cell.col.checked_sub(1).and_then(|col| grid.text(cell.row, col)).filter(|t| !t.is_empty());
    grid.header_over(cell.col).filter(|_| grid.has_declared_headers()).or_else(left)
}

#[cfg(test)]
mod tests;
