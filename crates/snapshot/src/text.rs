//! The text form of a snapshot: what fixtures and tests are written in.
//!
//! One node a line, two blanks of indentation a level. A line is a role, then any of, in this order:
//! `"name"`, `= "value"`, `[states]`, `@x,y,w,h`, `cell=row,col,rowspan,colspan[,header]`, `of=table` (the index of
//! its table, where that is not the nearest one around it), `level=1`,
//! `options=("a" *"chosen" !"disabled")`, `placeholder="…"`, `description="…"`, `-> "location"`, `labelled`,
//! `native=word`, `block=n`, `#handle`. A `window KEY` line starts a window; it and `frame` lines carry
//! `<location>` and `title="…"` of the content they hold, and `unreadable` where it could not be read; a frame
//! without `<location>` holds nothing. Words and locations with blanks or signs of this notation are quoted.
//! Left out: a handle that is `n` and the index, a block that is the parent's index.

use std::fmt::Write as _;

use crate::{
    Cell, FrameName, Ix, Node, NodeDetail, NodeId, OptionItem, Rect, Role, Scope, ScopeId, SnapshotBuilder, State,
    States, UiSnapshot, WindowKey,
};

/// Where and why a text is no snapshot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

/// Reads the text form.
///
/// # Errors
/// The first line that is not understood.
pub fn parse(text: &str) -> Result<UiSnapshot, ParseError> {
    let mut builder = SnapshotBuilder::new();
    let mut scopes: Vec<(usize, ScopeId)> = Vec::new();
    let mut tables: Vec<(usize, Ix)> = Vec::new();
    for (at, raw) in text.lines().enumerate() {
        let fail = |problem: &str| ParseError { line: at + 1, problem: problem.to_owned() };
        if raw.trim().is_empty() {
            continue;
        }
        let indent = raw.len() - raw.trim_start_matches(' ').len();
        if indent % 2 != 0 {
            return Err(fail("indentation is two blanks a level"));
        }
        let depth = indent / 2;
        if depth > builder.depth() {
            return Err(fail("a level was skipped"));
        }
        while builder.depth() > depth {
            builder.close();
        }
        scopes.retain(|(d, _)| *d < depth);
        tables.retain(|(d, _)| *d < depth);
        let mut line = Line { rest: raw.trim(), line: at + 1 };
        let (mut node, mut content) = line.node(builder.next(), tables.last().map(|t| t.1))?;
        let holds = match (&node.role, scopes.last().copied()) {
            (Role::Window, _) => {
                let key = WindowKey(std::mem::take(&mut content.name));
                Some((key, Vec::new(), None))
            }
            (_, None) => return Err(fail("the first line of a window is `window KEY`")),
            (Role::Frame, Some((_, parent))) if content.present => {
                let outer = builder.scope_mut(parent).clone();
                let mut path = outer.path;
                path.push(FrameName { name: content.name.clone(), title: node.name.clone(), index: content.index });
                node.scope = parent;
                Some((outer.window, path, Some(parent)))
            }
            (_, Some((_, scope))) => {
                node.scope = scope;
                None
            }
        };
        if let Some((window, path, parent)) = holds {
            let id = builder.scope(Scope {
                window,
                path,
                location: content.location,
                title: content.title,
                parent,
                holder: parent.map(|_| builder.next()),
                readable: content.readable,
            });
            scopes.push((depth, id));
            if parent.is_none() {
                node.scope = id;
            }
            node.detail.holds = Some(id);
        }
        if node.role.is_table() {
            tables.push((depth, builder.next()));
        }
        let ix = builder.open(node);
        let parent = builder.node_mut(ix).parent.map_or(0, |p| p.0);
        builder.node_mut(ix).block = content.block.unwrap_or(parent);
    }
    Ok(builder.finish())
}

/// Writes the text form; `parse` of it gives the same snapshot.
#[must_use]
pub fn print(snapshot: &UiSnapshot) -> String {
    let mut out = String::new();
    for (ix, node) in snapshot.iter() {
        let depth = snapshot.ancestors(ix).count();
        let _ = write!(out, "{}{}", "  ".repeat(depth), word(node.role.as_str()));
        print_node(&mut out, snapshot, ix, node);
        out.push('\n');
    }
    out
}

fn print_node(out: &mut String, snapshot: &UiSnapshot, ix: Ix, node: &Node) {
    let held = node.detail.holds.map(|id| snapshot.scope(id));
    if node.role == Role::Window
        && let Some(scope) = held
    {
        let _ = write!(out, " {}", word(&scope.window.0));
    }
    if !node.name.is_empty() {
        let _ = write!(out, " {}", quote(&node.name));
    }
    if let Some(value) = &node.value {
        let _ = write!(out, " = {}", quote(value));
    }
    if node.states != States::default() {
        let words: Vec<_> = node.states.iter().map(State::as_str).collect();
        let _ = write!(out, " [{}]", words.join(" "));
    }
    if let Some(b) = node.bounds {
        let _ = write!(out, " @{},{},{},{}", b.x, b.y, b.w, b.h);
    }
    if let Some(c) = node.cell {
        let header = if c.header { ",header" } else { "" };
        let _ = write!(out, " cell={},{},{},{}{header}", c.row, c.col, c.row_span, c.col_span);
        if snapshot.ancestors(ix).find(|(_, n)| n.role.is_table()).is_none_or(|(table, _)| table != c.table) {
            let _ = write!(out, " of={}", c.table.0);
        }
    }
    print_detail(out, &node.detail);
    if !node.native.is_empty() {
        let _ = write!(out, " native={}", word(&node.native));
    }
    if node.block != node.parent.map_or(0, |p| p.0) {
        let _ = write!(out, " block={}", node.block);
    }
    if node.id.0 != format!("n{}", ix.0) {
        let _ = write!(out, " #{}", word(&node.id.0));
    }
    if let Some(scope) = held {
        if let Some(frame) = scope.path.last()
            && node.role == Role::Frame
        {
            if !frame.name.is_empty() {
                let _ = write!(out, " name={}", quote(&frame.name));
            }
            if frame.index != 0 {
                let _ = write!(out, " index={}", frame.index);
            }
        }
        let plain = !scope.location.contains(|c: char| c.is_whitespace() || c.is_control() || "<>\"".contains(c));
        let _ = write!(out, " <{}>", if plain { scope.location.clone() } else { quote(&scope.location) });
        if !scope.title.is_empty() {
            let _ = write!(out, " title={}", quote(&scope.title));
        }
        if !scope.readable {
            out.push_str(" unreadable");
        }
    }
}

fn print_detail(out: &mut String, detail: &NodeDetail) {
    if let Some(level) = detail.level {
        let _ = write!(out, " level={level}");
    }
    if !detail.options.is_empty() {
        let items: Vec<_> = detail
            .options
            .iter()
            .map(|o| {
                let chosen = if o.selected { "*" } else { "" };
                let off = if o.enabled { "" } else { "!" };
                format!("{chosen}{off}{}", quote(&o.text))
            })
            .collect();
        let _ = write!(out, " options=({})", items.join(" "));
    }
    for (word, text) in [("placeholder", &detail.placeholder), ("description", &detail.description)] {
        if let Some(text) = text {
            let _ = write!(out, " {word}={}", quote(text));
        }
    }
    if let Some(location) = &detail.location {
        let _ = write!(out, " -> {}", quote(location));
    }
    if detail.labelled {
        out.push_str(" labelled");
    }
}

/// The content that a window or frame holds.
struct Content {
    name: String,
    location: String,
    title: String,
    index: u32,
    readable: bool,
    /// Whether there is content at all, readable or not.
    present: bool,
    /// The block of the node, where it is written out.
    block: Option<u32>,
}

struct Line<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Line<'a> {
    fn node(&mut self, ix: Ix, table: Option<Ix>) -> Result<(Node, Content), ParseError> {
        let role = Role::from_word(&self.plain_or_quoted()?);
        let mut node = Node::bare(NodeId(format!("n{}", ix.0)), role, ScopeId(0));
        let mut content = Content {
            name: String::new(),
            location: String::new(),
            title: String::new(),
            index: 0,
            readable: true,
            present: false,
            block: None,
        };
        if node.role == Role::Window {
            content.name = self.plain_or_quoted()?;
        }
        let mut table = table;
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() {
                node.cell = match (node.cell, table) {
                    (Some(_), None) => return Err(self.fail("a cell lies outside any table")),
                    (cell, table) => cell.zip(table).map(|(cell, table)| Cell { table, ..cell }),
                };
                return Ok((node, content));
            }
            if self.rest.starts_with('"') {
                node.name = self.string()?;
            } else if self.eat("= ") {
                node.value = Some(self.string()?);
            } else if self.eat("[") {
                node.states = self.states()?;
            } else if self.eat("@") {
                let n = self.numbers::<4>()?;
                node.bounds = Some(Rect { x: n[0], y: n[1], w: n[2], h: n[3] });
            } else if self.eat("cell=") {
                node.cell = Some(self.cell()?);
            } else if self.eat("of=") {
                let of = Ix(self.number()?);
                if of >= ix {
                    return Err(self.fail("a table comes before its cells"));
                }
                table = Some(of);
            } else if self.eat("level=") {
                node.detail.level = Some(self.number()?);
            } else if self.eat("options=(") {
                node.detail.options = self.options()?;
            } else if self.eat("placeholder=") {
                node.detail.placeholder = Some(self.string()?);
            } else if self.eat("description=") {
                node.detail.description = Some(self.string()?);
            } else if self.eat("-> ") {
                node.detail.location = Some(self.string()?);
            } else if self.eat("native=") {
                node.native = self.plain_or_quoted()?;
            } else if self.eat("block=") {
                content.block = Some(self.number()?);
            } else if self.eat("#") {
                node.id = NodeId::new(self.plain_or_quoted()?);
            } else if self.eat("<") {
                content.present = true;
                if self.rest.starts_with('"') {
                    content.location = self.string()?;
                } else {
                    let end = self.rest.find('>').unwrap_or(self.rest.len());
                    self.rest[..end].clone_into(&mut content.location);
                    self.rest = &self.rest[end..];
                }
                if !self.eat(">") {
                    return Err(self.fail("`<` without `>`"));
                }
            } else if self.eat("title=") {
                content.title = self.string()?;
            } else if self.eat("name=") {
                content.name = self.string()?;
            } else if self.eat("index=") {
                content.index = self.number()?;
            } else {
                match self.word() {
                    "labelled" => node.detail.labelled = true,
                    "unreadable" => content.readable = false,
                    other => return Err(self.fail(&format!("`{other}` is not understood"))),
                }
            }
        }
    }

    fn fail(&self, problem: &str) -> ParseError {
        ParseError { line: self.line, problem: problem.to_owned() }
    }

    fn eat(&mut self, prefix: &str) -> bool {
        match self.rest.strip_prefix(prefix) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(' ').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn plain_or_quoted(&mut self) -> Result<String, ParseError> {
        self.rest = self.rest.trim_start();
        if self.rest.starts_with('"') { self.string() } else { Ok(self.word().to_owned()) }
    }

    fn string(&mut self) -> Result<String, ParseError> {
        let inner = self.rest.strip_prefix('"').ok_or_else(|| self.fail("a quoted text is missing"))?;
        let mut out = String::new();
        let mut chars = inner.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = &inner[at + 1..];
                    return Ok(out);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => out.push('\n'),
                    Some((_, 't')) => out.push('\t'),
                    Some((_, 'r')) => out.push('\r'),
                    Some((_, c)) => out.push(c),
                    None => break,
                },
                c => out.push(c),
            }
        }
        Err(self.fail("a quoted text has no end"))
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T, ParseError> {
        self.word().to_owned().parse().map_err(|_| self.fail("a number is missing"))
    }

    fn numbers<const N: usize>(&mut self) -> Result<[i32; N], ParseError> {
        let word = self.word().to_owned();
        let list: Result<Vec<i32>, _> = word.split(',').map(str::parse).collect();
        list.ok().and_then(|l| l.try_into().ok()).ok_or_else(|| self.fail(&format!("`{word}` is not {N} numbers")))
    }

    fn states(&mut self) -> Result<States, ParseError> {
        let end = self.rest.find(']').ok_or_else(|| self.fail("`[` without `]`"))?;
        let words = &self.rest[..end];
        let mut states = States::default();
        for word in words.split_whitespace() {
            let state = State::from_word(word).ok_or_else(|| self.fail(&format!("`{word}` is no state")))?;
            states = states.with(state);
        }
        self.rest = &self.rest[end + 1..];
        Ok(states)
    }

    /// A cell whose table is not known yet.
    fn cell(&mut self) -> Result<Cell, ParseError> {
        let word = self.word().to_owned();
        let (numbers, header) = match word.strip_suffix(",header") {
            Some(rest) => (rest, true),
            None => (word.as_str(), false),
        };
        let n: Option<Vec<u32>> = numbers.split(',').map(|n| n.parse().ok()).collect();
        let table = Ix::default();
        match n.as_deref() {
            Some([row, col, row_span, col_span]) => {
                Ok(Cell { table, row: *row, col: *col, row_span: *row_span, col_span: *col_span, header })
            }
            Some([row, col]) => Ok(Cell { table, row: *row, col: *col, row_span: 1, col_span: 1, header }),
            _ => Err(self.fail("cell=row,col[,rowspan,colspan][,header]")),
        }
    }

    fn options(&mut self) -> Result<Vec<OptionItem>, ParseError> {
        let mut out = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            if self.eat(")") {
                return Ok(out);
            }
            let selected = self.eat("*");
            let enabled = !self.eat("!");
            out.push(OptionItem { text: self.string()?, selected, enabled });
        }
    }
}

/// A word as it stands, or quoted where it would be read as something else.
fn word(text: &str) -> String {
    let plain = !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control() || c == '"');
    if plain { text.to_owned() } else { quote(text) }
}

fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
