//! Asking the agent in a frame.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::time::Instant;

use crate::cdp::{Evaluated, WorldReply};
use crate::core::Core;
use crate::inpage::{SOURCE, WORLD};
use crate::router::{Awaited, CallError};

impl<T> Evaluated<T> {
    /// The value, or the exception as a refusal.
    pub(crate) fn value(self) -> Result<T, CallError> {
        if let Some(exception) = self.exception_details {
            let message = exception.exception.map(|e| e.description).filter(|d| !d.is_empty());
            return Err(CallError::Refused { method: "Runtime.evaluate", message: message.unwrap_or(exception.text) });
        }
        self.result
            .and_then(|result| result.value)
            .ok_or_else(|| CallError::Refused { method: "Runtime.evaluate", message: "no value".into() })
    }
}

impl Core {
    /// Evaluates an expression in the agent's world of a frame.
    pub(crate) async fn evaluate<T: DeserializeOwned>(
        &self,
        frame: &str,
        expression: &str,
        deadline: Instant,
    ) -> Result<T, CallError> {
        self.world(frame, deadline).await?;
        let awaited = self.ask(frame, expression, deadline)?;
        awaited.within::<Evaluated<T>>(deadline).await?.value()
    }

    /// Sends an expression to the agent's world of a frame.
    pub(crate) fn ask(&self, frame: &str, expression: &str, deadline: Instant) -> Result<Awaited, CallError> {
        let (session, unique) = {
            let state = self.state();
            let frame = state.frames.get(frame).ok_or(CallError::Detached)?;
            let world = frame.world.as_ref().ok_or(CallError::Detached)?;
            (frame.session.clone(), world.unique.clone())
        };
        Ok(self.ask_in(&session, &unique, expression, deadline))
    }

    /// Sends an expression to one particular world, so that an answer never comes from another document.
    pub(crate) fn ask_in(&self, session: &Arc<str>, unique: &str, expression: &str, deadline: Instant) -> Awaited {
        let left = deadline.saturating_duration_since(Instant::now()).as_millis();
        let params = json!({
            "expression": expression,
            "uniqueContextId": unique,
            "returnByValue": true,
            "awaitPromise": true,
            "timeout": u64::try_from(left).unwrap_or(u64::MAX).max(1),
        });
        self.router.send(Some(session), "Runtime.evaluate", params)
    }

    /// Makes sure that a frame has the agent: a document that never ran a script (an empty frame) has no world yet.
    pub(crate) async fn world(&self, frame: &str, deadline: Instant) -> Result<(), CallError> {
        let session = {
            let state = self.state();
            let frame = state.frames.get(frame).ok_or(CallError::Detached)?;
            if frame.crashed {
                return Err(CallError::Crashed);
            }
            if frame.world.is_some() {
                return Ok(());
            }
            frame.session.clone()
        };
        let world: WorldReply = self
            .router
            .call(Some(&session), "Page.createIsolatedWorld", json!({"frameId": frame, "worldName": WORLD}), deadline)
            .await?;
        let _: serde_json::Value = self
            .router
            .call(
                Some(&session),
                "Runtime.evaluate",
                json!({"expression": SOURCE, "contextId": world.execution_context_id}),
                deadline,
            )
            .await?;
        // The event that tells of the world came before the reply.
        match self.state().frames.get(frame) {
            Some(frame) if frame.world.is_some() => Ok(()),
            _ => Err(CallError::Detached),
        }
    }
}
