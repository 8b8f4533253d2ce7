//! The permit that an acting verb needs.

/// Proof that the gate allowed one action. It cannot be made outside of this crate, copied or kept.
///
/// ```compile_fail
/// let permit = waymark_surface::Permit { minted: () };
/// ```
///
/// ```compile_fail
/// fn twice(permit: waymark_surface::Permit) -> (waymark_surface::Permit, waymark_surface::Permit) {
///     (permit.clone(), permit)
/// }
/// ```
#[derive(Debug)]
#[must_use = "a permit that is not used up is an action that never happened"]
pub struct Permit {
    #[expect(dead_code, reason = "private field: nobody else can construct a permit")]
    minted: (),
}

impl Permit {
    pub(crate) fn mint() -> Self {
        Permit { minted: () }
    }
}
