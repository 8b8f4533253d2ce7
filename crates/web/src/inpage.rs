//! The in-page agent: what is installed into the isolated world of every frame.

/// Name of the isolated world.
pub(crate) const WORLD: &str = "waymark";
/// Name of the function by which the agent says that something changed.
pub(crate) const BINDING: &str = "__waymarkChanged";

/// The script that defines `wm` and `wmx` and begins to watch.
pub(crate) const SOURCE: &str = concat!(
    "(() => { 'use strict';\n",
    include_str!("../inpage/00-dom.js"),
    include_str!("../inpage/05-identity.js"),
    include_str!("../inpage/10-role.js"),
    include_str!("../inpage/20-name.js"),
    include_str!("../inpage/25-name.js"),
    include_str!("../inpage/30-table.js"),
    include_str!("../inpage/35-state.js"),
    include_str!("../inpage/40-walk.js"),
    include_str!("../inpage/45-text.js"),
    include_str!("../inpage/50-act.js"),
    include_str!("../inpage/60-watch.js"),
    include_str!("../inpage/70-conceal.js"),
    include_str!("../inpage/75-still.js"),
    include_str!("../inpage/90-export.js"),
    include_str!("agent.js"),
    "\nwm.watch('__waymarkChanged');\n})();",
);

#[cfg(test)]
mod tests {
    use super::{BINDING, SOURCE};

    #[test]
    fn every_part_of_the_agent_is_installed() -> std::io::Result<()> {
        for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/inpage"))? {
            let path = entry?.path();
            if path.extension().is_some_and(|e| e == "js") {
                assert!(SOURCE.contains(std::fs::read_to_string(&path)?.as_str()), "{} is left out", path.display());
            }
        }
        assert!(SOURCE.contains(BINDING));
        Ok(())
    }
}
