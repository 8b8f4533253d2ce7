//! Other words in the places where a document looks for words.

use waymark_snapshot::squash;

use super::Relabel;
use crate::{
    Candidate, Condition, DialogPattern, ElementQuery, Fingerprint, FrameRef, Place, Relation, RowKey, Rung, TableRef,
    Template,
};

/// What is said otherwise.
pub(super) struct Words<'a> {
    said: &'a [Relabel],
    frames: &'a [Relabel],
    /// How often each of `said`, then of `frames`, was found.
    pub(super) used: Vec<usize>,
}

impl<'a> Words<'a> {
    pub(super) fn new(said: &'a [Relabel], frames: &'a [Relabel]) -> Self {
        Words { said, frames, used: vec![0; said.len() + frames.len()] }
    }

    /// Whether the text is another one now.
    fn text(&mut self, text: &mut Template) -> bool {
        let found = replaced(self.said, text);
        found.inspect(|at| self.used[*at] += 1).is_some()
    }

    pub(super) fn frame(&mut self, frame: &mut [FrameRef]) {
        for name in frame.iter_mut().filter_map(|part| part.name.as_mut()) {
            if let Some(at) = replaced(self.frames, name) {
                self.used[self.said.len() + at] += 1;
            }
        }
    }

    pub(super) fn place(&mut self, place: &mut Place) {
        self.frame(&mut place.frame);
    }

    /// Another way to find the same, where its words are others.
    pub(super) fn candidate(&mut self, candidate: &Candidate) -> Option<Candidate> {
        let mut other = candidate.clone();
        let mut changed = self.rung(&mut other.find);
        for relation in &mut other.within {
            changed |= self.relation(relation);
        }
        changed.then_some(other)
    }

    pub(super) fn fingerprint(&mut self, fingerprint: &mut Fingerprint) -> bool {
        let named = self.text(&mut fingerprint.name);
        fingerprint.caption.as_mut().is_some_and(|caption| self.text(caption)) || named
    }

    pub(super) fn header(&mut self, header: &mut Template) {
        self.text(header);
    }

    fn rung(&mut self, rung: &mut Rung) -> bool {
        match rung {
            Rung::RoleName { name, .. } | Rung::RoleNameNormalized { name, .. } => self.text(name),
            Rung::Label { label, .. } => self.text(label),
            Rung::Anchor { name, relation, .. } => {
                let named = name.as_mut().is_some_and(|name| self.text(name));
                self.relation(relation) || named
            }
            Rung::Ordinal { .. } | Rung::NativeHint { .. } | Rung::Vision { .. } => false,
        }
    }

    fn relation(&mut self, relation: &mut Relation) -> bool {
        match relation {
            Relation::Region { name, .. } => self.text(name),
            Relation::Row { keys, table } => self.keys(keys) | self.table(table),
            Relation::Column { header, table } => self.text(header) | self.table(table),
            Relation::Cell { keys, header, table } => self.keys(keys) | self.text(header) | self.table(table),
            Relation::Adjacent { text, .. } => self.text(text),
        }
    }

    pub(super) fn keys(&mut self, keys: &mut [RowKey]) -> bool {
        let mut changed = false;
        for key in keys {
            changed |= key.column.as_mut().is_some_and(|column| self.text(column));
            changed |= self.text(&mut key.equals);
        }
        changed
    }

    fn table(&mut self, table: &mut Option<TableRef>) -> bool {
        let Some(table) = table else { return false };
        let mut changed = table.name.as_mut().is_some_and(|name| self.text(name));
        for header in &mut table.headers {
            changed |= self.text(header);
        }
        changed
    }

    fn query(&mut self, query: &mut ElementQuery) -> bool {
        let mut changed = self.rung(&mut query.find);
        for relation in &mut query.within {
            changed |= self.relation(relation);
        }
        changed
    }

    /// The same said of these words or those: what must be there may bear either, what must not be there bears neither.
    pub(super) fn condition(&mut self, condition: &mut Condition) {
        match condition {
            Condition::All { of } | Condition::Any { of } => {
                for part in of {
                    self.condition(part);
                }
                return;
            }
            Condition::Not { of } => return self.condition(of),
            _ => {}
        }
        match condition {
            Condition::ElementPresent { element }
            | Condition::ElementAbsent { element }
            | Condition::ElementHasValue { element, .. }
            | Condition::ElementHasState { element, .. } => self.place(&mut element.place),
            Condition::TextPresent { place, .. }
            | Condition::TextAbsent { place, .. }
            | Condition::TitleMatches { place, .. }
            | Condition::LocationMatches { place, .. }
            | Condition::ScreenId { place, .. } => self.place(place),
            _ => {}
        }
        let mut other = condition.clone();
        let changed = match &mut other {
            Condition::ElementPresent { element }
            | Condition::ElementAbsent { element }
            | Condition::ElementHasValue { element, .. }
            | Condition::ElementHasState { element, .. } => self.query(element),
            Condition::TextPresent { text, .. }
            | Condition::TextAbsent { text, .. }
            | Condition::TitleMatches { text, .. }
            | Condition::DialogOpened { dialog: DialogPattern { text } } => self.text(&mut text.text),
            _ => false,
        };
        if changed {
            let of = vec![other, condition.clone()];
            let absent = matches!(condition, Condition::ElementAbsent { .. } | Condition::TextAbsent { .. });
            *condition = if absent { Condition::All { of } } else { Condition::Any { of } };
        }
    }
}

/// Puts the other word in the place of a text that is one of these; which one it was.
fn replaced(words: &[Relabel], text: &mut Template) -> Option<usize> {
    if !text.is_literal() || text.is_empty() {
        return None;
    }
    let said = squash(&text.pieces().iter().map(piece).collect::<String>());
    let at = words.iter().position(|word| squash(&word.from) == said)?;
    *text = Template::literal(&words[at].to);
    Some(at)
}

fn piece(piece: &crate::Piece) -> &str {
    match piece {
        crate::Piece::Text(text) => text,
        crate::Piece::Parameter(_) | crate::Piece::Variable(_) => "",
    }
}
