//! The tree itself and the ways to walk it.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::content::{is_blank, squashed};
use crate::{Node, NodeId, Role, Scope, ScopeId, WindowKey, squash};

/// Index of a node in its snapshot. Document order is index order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ix(pub u32);

impl Ix {
    /// As an index into a slice.
    #[must_use]
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

/// All visible nodes of a session at one moment, in document order, windows one after the other.
///
/// The nodes of a frame follow its holder node directly and lie within the holder's subtree, so one
/// pre-order covers frames in frames. A clone shares what was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UiSnapshot {
    #[serde(serialize_with = "write", deserialize_with = "read")]
    nodes: Arc<Vec<Node>>,
    #[serde(serialize_with = "write", deserialize_with = "read")]
    scopes: Arc<Vec<Scope>>,
}

impl UiSnapshot {
    /// All nodes in document order.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// All scopes; windows and frames in the order they were perceived.
    #[must_use]
    pub fn scopes(&self) -> &[Scope] {
        &self.scopes
    }

    /// The node at an index of this snapshot.
    #[must_use]
    pub fn node(&self, ix: Ix) -> &Node {
        &self.nodes[ix.at()]
    }

    /// The scope at an index of this snapshot.
    #[must_use]
    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.0 as usize]
    }

    /// Every index with its node.
    pub fn iter(&self) -> impl Iterator<Item = (Ix, &Node)> {
        (0u32..).map(Ix).zip(self.nodes.iter())
    }

    /// The node and everything in it.
    pub fn subtree(&self, ix: Ix) -> impl Iterator<Item = (Ix, &Node)> {
        let end = self.node(ix).end;
        (ix.0..end.0).map(move |i| (Ix(i), &self.nodes[i as usize]))
    }

    /// Everything inside the node, without the node.
    pub fn descendants(&self, ix: Ix) -> impl Iterator<Item = (Ix, &Node)> {
        self.subtree(ix).skip(1)
    }

    /// The children of a node in order.
    pub fn children(&self, ix: Ix) -> impl Iterator<Item = (Ix, &Node)> {
        let end = self.node(ix).end;
        let mut next = Ix(ix.0 + 1);
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let here = next;
                next = self.node(here).end;
                (here, self.node(here))
            })
        })
    }

    /// The ancestors from the parent up, across frames.
    pub fn ancestors(&self, ix: Ix) -> impl Iterator<Item = (Ix, &Node)> {
        let mut at = self.node(ix).parent;
        std::iter::from_fn(move || {
            let here = at?;
            at = self.node(here).parent;
            Some((here, self.node(here)))
        })
    }

    /// The nearest ancestor or self that satisfies `test`.
    pub fn closest(&self, ix: Ix, test: impl Fn(&Node) -> bool) -> Option<Ix> {
        if test(self.node(ix)) {
            return Some(ix);
        }
        self.ancestors(ix).find(|(_, n)| test(n)).map(|(i, _)| i)
    }

    /// Whether `inner` lies within the subtree of `outer`.
    #[must_use]
    pub fn contains(&self, outer: Ix, inner: Ix) -> bool {
        outer <= inner && inner < self.node(outer).end
    }

    /// The node with a handle.
    #[must_use]
    pub fn find(&self, id: &NodeId) -> Option<Ix> {
        self.iter().find(|(_, n)| n.id == *id).map(|(i, _)| i)
    }

    /// The root scope of a window.
    #[must_use]
    pub fn window(&self, key: &WindowKey) -> Option<ScopeId> {
        (0u32..).zip(self.scopes.iter()).find(|(_, s)| s.window == *key && s.path.is_empty()).map(|(i, _)| ScopeId(i))
    }

    /// The frames directly inside a scope, in order.
    pub fn frames(&self, parent: ScopeId) -> impl Iterator<Item = (ScopeId, &Scope)> {
        (0u32..).map(ScopeId).zip(self.scopes.iter()).filter(move |(_, s)| s.parent == Some(parent))
    }

    /// The nodes of one scope, without those of frames inside it.
    pub fn nodes_in(&self, scope: ScopeId) -> impl Iterator<Item = (Ix, &Node)> {
        self.iter().filter(move |(_, n)| n.scope == scope)
    }

    /// Whether nothing with a name or text stands in a scope or in a frame inside it.
    #[must_use]
    pub fn is_bare(&self, scope: ScopeId) -> bool {
        self.nodes_in(scope).all(|(_, node)| squash(&node.name).is_empty())
            && self.frames(scope).all(|(frame, _)| self.is_bare(frame))
    }

    /// The visible text of a subtree: leaves joined by line, lines joined by a line feed. Text inside
    /// frames below is left out.
    #[must_use]
    pub fn text_of(&self, ix: Ix) -> String {
        let scope = self.node(ix).scope;
        join_lines(self.subtree(ix).map(|(_, n)| n).filter(|n| n.scope == scope))
    }

    /// Whether the visible text of a subtree is this one, white space squashed; as comparing [`UiSnapshot::text_of`],
    /// without gathering more of it than it takes to see that it is another.
    #[must_use]
    pub fn text_is(&self, ix: Ix, wanted: &str) -> bool {
        let scope = self.node(ix).scope;
        let mut before: Option<u32> = None;
        let text = self.subtree(ix).filter(|(_, n)| n.scope == scope && n.role == Role::Text).flat_map(|(_, n)| {
            let apart = before.replace(n.block).is_some_and(|block| block != n.block);
            apart.then_some(' ').into_iter().chain(n.name.chars())
        });
        squashed(text).eq(squashed(wanted.chars()))
    }

    /// The last character of the visible text of a subtree.
    #[must_use]
    pub fn last_char(&self, ix: Ix) -> Option<char> {
        let (scope, end) = (self.node(ix).scope, self.node(ix).end);
        let leaves = (ix.0..end.0).rev().map(|i| self.node(Ix(i))).filter(|n| n.scope == scope && n.role == Role::Text);
        leaves.filter_map(|n| n.name.chars().rev().find(|c| !is_blank(*c))).next()
    }

    /// The lines of visible text of a scope in document order, each with the index of its first leaf.
    #[must_use]
    pub fn lines(&self, scope: ScopeId) -> Vec<(Ix, String)> {
        lines(self.nodes_in(scope))
    }
}

fn write<T: Serialize, S: Serializer>(shared: &Arc<Vec<T>>, to: S) -> Result<S::Ok, S::Error> {
    shared.as_ref().serialize(to)
}

fn read<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Arc<Vec<T>>, D::Error> {
    Vec::deserialize(from).map(Arc::new)
}

fn lines<'a>(nodes: impl Iterator<Item = (Ix, &'a Node)>) -> Vec<(Ix, String)> {
    let mut out: Vec<(Ix, u32, String)> = Vec::new();
    for (ix, node) in nodes.filter(|(_, n)| n.role == Role::Text) {
        match out.last_mut() {
            Some((_, block, line)) if *block == node.block => line.push_str(&node.name),
            _ => out.push((ix, node.block, node.name.clone())),
        }
    }
    out.into_iter().map(|(ix, _, line)| (ix, squash(&line))).filter(|(_, line)| !line.is_empty()).collect()
}

fn join_lines<'a>(nodes: impl Iterator<Item = &'a Node>) -> String {
    let lines = lines((0u32..).map(Ix).zip(nodes));
    lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

/// Builds a snapshot node by node in document order.
#[derive(Debug, Default)]
pub struct SnapshotBuilder {
    nodes: Vec<Node>,
    scopes: Vec<Scope>,
    open: Vec<Ix>,
}

impl SnapshotBuilder {
    /// An empty snapshot.
    #[must_use]
    pub fn new() -> Self {
        SnapshotBuilder::default()
    }

    /// Adds a scope and returns its id.
    pub fn scope(&mut self, scope: Scope) -> ScopeId {
        let id = ScopeId(u32::try_from(self.scopes.len()).unwrap_or(u32::MAX));
        self.scopes.push(scope);
        id
    }

    /// Changes a scope that was added before.
    pub fn scope_mut(&mut self, id: ScopeId) -> &mut Scope {
        &mut self.scopes[id.0 as usize]
    }

    /// Opens a node as a child of the innermost open node; `parent` and `end` are filled in.
    pub fn open(&mut self, mut node: Node) -> Ix {
        let ix = Ix(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        node.parent = self.open.last().copied();
        node.end = Ix(ix.0 + 1);
        self.nodes.push(node);
        self.open.push(ix);
        ix
    }

    /// Closes the innermost open node.
    pub fn close(&mut self) {
        if let Some(ix) = self.open.pop() {
            self.nodes[ix.at()].end = Ix(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        }
    }

    /// Adds a node without children.
    pub fn leaf(&mut self, node: Node) -> Ix {
        let ix = self.open(node);
        self.close();
        ix
    }

    /// How many nodes are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// A node that was added before.
    pub fn node_mut(&mut self, ix: Ix) -> &mut Node {
        &mut self.nodes[ix.at()]
    }

    /// The index the next node will get.
    #[must_use]
    pub fn next(&self) -> Ix {
        Ix(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX))
    }

    /// The finished snapshot; open nodes are closed.
    #[must_use]
    pub fn finish(mut self) -> UiSnapshot {
        while !self.open.is_empty() {
            self.close();
        }
        UiSnapshot { nodes: Arc::new(self.nodes), scopes: Arc::new(self.scopes) }
    }
}
