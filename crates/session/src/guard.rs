//! The policy as the browser is asked it.

use std::sync::Arc;

use waymark_policy::{Policy, RouteAsk};
use waymark_surface::{RouteGuard, RouteRequest, RouteVerdict};

/// Asks the policy about every document and every denied address.
pub struct PolicyGuard {
    pub policy: Arc<Policy>,
    pub application: String,
}

impl RouteGuard for PolicyGuard {
    fn decide(&self, request: &RouteRequest) -> RouteVerdict {
        let ask = RouteAsk {
            application: &self.application,
            location: &request.location,
            method: &request.method,
            document: request.document,
        };
        let answer = self.policy.route(&ask);
        if answer.allowed { RouteVerdict::Allow } else { RouteVerdict::Refuse { rule: answer.rule } }
    }

    fn denied_patterns(&self) -> Vec<String> {
        self.policy.deny_patterns()
    }
}
