//! Where the application led off the allowlist, and nothing is left of it to go on with.

use waymark_snapshot::{Scope, ScopeId, WindowKey};
use waymark_surface::{Fact, Observation};

/// Why there is no way on: a way was refused, and the window, or the frame that was acted in, holds nothing any more.
pub(super) fn stranded(seen: &Observation, acted: Option<&Scope>) -> Option<String> {
    let rule = seen.facts.iter().find_map(|fact| match fact {
        Fact::RouteRefused { rule, .. } => Some(rule),
        _ => None,
    })?;
    let screen = &seen.snapshot;
    let mut scopes = (0u32..).map(ScopeId).zip(screen.scopes());
    let frame = acted.and_then(|acted| scopes.find(|(_, scope)| is_there(scope, acted)));
    let main = screen.window(&WindowKey::main());
    // The browser puts an empty document in the place of one that was stopped, and tells its address as that of the site.
    let lost = main.is_none_or(|scope| screen.is_bare(scope)) || frame.is_some_and(|(scope, _)| screen.is_bare(scope));
    lost.then(|| format!("the application led where this session may not go ({rule})"))
}

/// Whether it is the same window, or frame at the same place: what it holds may be other content with another title.
fn is_there(scope: &Scope, other: &Scope) -> bool {
    let at = |scope: &Scope| -> Vec<(String, u32)> {
        scope.path.iter().map(|frame| (frame.name.clone(), frame.index)).collect()
    };
    scope.window == other.window && at(scope) == at(other)
}
