//! The dependency graph of the workspace after feature unification, and the chain from one crate to another.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::LazyLock,
};

use cargo_metadata::{Dependency, DependencyKind, Metadata, MetadataCommand, Node, NodeDep, Package, PackageId};
use waymark_tests::root;

/// Crate names by package, and the packages each one is built with (dev dependencies left out).
pub struct Graph {
    pub metadata: Metadata,
    edges: BTreeMap<PackageId, Vec<PackageId>>,
}

/// Read once for all tests.
pub static GRAPH: LazyLock<Graph> = LazyLock::new(|| match Graph::read() {
    Ok(graph) => graph,
    Err(fault) => panic!("cargo metadata: {fault}"),
});

impl Graph {
    fn read() -> Result<Self, cargo_metadata::Error> {
        let metadata = MetadataCommand::new()
            .manifest_path(root().join("Cargo.toml"))
            .other_options(["--locked".to_owned()])
            .exec()?;
        let package_of: BTreeMap<&PackageId, &Package> =
            metadata.packages.iter().map(|package| (&package.id, package)).collect();
        let nodes = metadata.resolve.iter().flat_map(|resolve| &resolve.nodes);
        let edges = nodes
            .map(|node| {
                let built_with = node.deps.iter().filter(|edge| {
                    edge.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal)
                        && package_of.get(&node.id).is_none_or(|package| is_switched_on(package, node, edge))
                });
                (node.id.clone(), built_with.map(|edge| edge.pkg.clone()).collect())
            })
            .collect();
        Ok(Self { metadata, edges })
    }

    /// Names of the crates of this workspace.
    pub fn own(&self) -> Vec<&str> {
        self.metadata.workspace_packages().iter().map(|package| package.name.as_str()).collect()
    }

    /// Crates that the named one declares for its own build, tests left out.
    pub fn declared_by(&self, name: &str) -> Vec<&str> {
        self.metadata
            .workspace_packages()
            .iter()
            .filter(|package| package.name.as_str() == name)
            .flat_map(|package| &package.dependencies)
            .filter(|dependency| dependency.kind != DependencyKind::Development)
            .map(|dependency| dependency.name.as_str())
            .collect()
    }

    /// The shortest chain of crate names from one crate to another, both included.
    pub fn chain(&self, from: &str, to: &str) -> Option<Vec<&str>> {
        let own = self.metadata.workspace_packages();
        let start = &own.iter().find(|package| package.name.as_str() == from)?.id;
        let mut came_from: BTreeMap<&PackageId, Option<&PackageId>> = BTreeMap::from([(start, None)]);
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            if self.name_of(at) == to && at != start {
                let mut chain = vec![self.name_of(at)];
                let mut cursor = at;
                while let Some(Some(before)) = came_from.get(cursor) {
                    chain.push(self.name_of(before));
                    cursor = before;
                }
                chain.reverse();
                return Some(chain);
            }
            for next in self.edges.get(at).into_iter().flatten() {
                if !came_from.contains_key(next) {
                    came_from.insert(next, Some(at));
                    queue.push_back(next);
                }
            }
        }
        None
    }

    fn name_of(&self, id: &PackageId) -> &str {
        self.metadata.packages.iter().find(|package| &package.id == id).map_or("?", |package| package.name.as_str())
    }
}

/// Whether an edge is really built. `cargo metadata` also lists optional dependencies that only a weak feature
/// (`rand?/std`) names; those are switched on by nothing.
fn is_switched_on(package: &Package, node: &Node, edge: &NodeDep) -> bool {
    let normal = || package.dependencies.iter().filter(|declared| declared.kind == DependencyKind::Normal);
    let key = |declared: &Dependency| declared.rename.clone().unwrap_or_else(|| declared.name.clone());
    let mut entries: Vec<&Dependency> =
        normal().filter(|declared| key(declared).replace('-', "_") == edge.name).collect();
    if entries.is_empty() {
        // The library is named otherwise than its package: nothing can be said, so the edge stays.
        return true;
    }
    entries.retain(|declared| {
        let name = key(declared);
        let (by_dep, by_feature) = (format!("dep:{name}"), format!("{name}/"));
        !declared.optional
            || node
                .features
                .iter()
                .filter_map(|feature| package.features.get(feature.as_str()))
                .flatten()
                .any(|enabled| *enabled == by_dep || *enabled == name || enabled.starts_with(&by_feature))
    });
    !entries.is_empty()
}
