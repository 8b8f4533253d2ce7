//! Giving files to the application.

use std::path::PathBuf;

use serde_json::json;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};
use waymark_snapshot::NodeId;
use waymark_surface::{DriverError, NotDelivered, ReadBack};

use super::aim::{Kind, Spot};
use super::{Miss, Tried, after, before};
use crate::cdp::{Done, Evaluated, ObjectEvaluated, Resolved};
use crate::core::Core;

impl Core {
    pub(super) async fn upload(&self, node: &NodeId, files: &[PathBuf], end: Instant) -> Tried<Option<ReadBack>> {
        if files.is_empty() || files.iter().any(|file| !file.is_absolute() || !file.is_file()) {
            let why = "files are given as absolute paths of files that exist".to_owned();
            return Err(Miss::Not(NotDelivered::Unsupported { why }));
        }
        let spot = self.spot(node)?;
        let kind: Kind = self
            .about(&spot, &format!("wmx.kindOf({})", spot.id), end)
            .await
            .map_err(|error| before(error, &spot.window.key))?;
        if kind.gone {
            return Err(Miss::Not(NotDelivered::Stale));
        }
        if kind.tag == "input" && kind.kind == "file" {
            self.give(&spot, files, end).await
        } else {
            self.give_to_chooser(node, files, end).await
        }
    }

    async fn give(&self, spot: &Spot, files: &[PathBuf], end: Instant) -> Tried<Option<ReadBack>> {
        let object: ObjectEvaluated = self
            .router
            .call(
                Some(&spot.session),
                "Runtime.evaluate",
                json!({"expression": format!("wmx.nodeById({})", spot.id), "uniqueContextId": spot.unique}),
                end,
            )
            .await
            .map_err(|error| before(error, &spot.window.key))?;
        let Some(object) = object.result.object_id else { return Err(Miss::Not(NotDelivered::Stale)) };
        self.begin();
        self.router
            .call::<Done>(
                Some(&spot.session),
                "DOM.setFileInputFiles",
                json!({"files": files, "objectId": object}),
                end,
            )
            .await
            .map_err(|error| after(error, &spot.window.key))?;
        let held: Option<Vec<(String, u64)>> = self.about(spot, &format!("wmx.filesOf({})", spot.id), end).await.ok();
        Ok(held.map(ReadBack::Files))
    }

    /// The chooser that a click opens is answered for; no native window ever shows.
    async fn give_to_chooser(&self, node: &NodeId, files: &[PathBuf], end: Instant) -> Tried<Option<ReadBack>> {
        let aim = self.aim(node, end).await?;
        let (chosen, chooser) = oneshot::channel();
        self.state().chooser = Some(chosen);
        self.begin();
        let pressed = self.press_at(&aim.window, aim.point, end).await;
        if let Err(miss) = pressed {
            self.state().chooser = None;
            return Err(miss);
        }
        let opened = timeout_at(end, chooser).await;
        self.state().chooser = None;
        let Ok(Ok((session, field))) = opened else {
            // The click was delivered, the files were not.
            let what = "the file chooser that the click should open".to_owned();
            return Err(Miss::Unknown(DriverError::Timeout { what, deadline_ms: 0 }));
        };
        let fail = |error| after(error, &aim.window.key);
        let on = Some(&session);
        self.router
            .call::<Done>(on, "DOM.setFileInputFiles", json!({"files": files, "backendNodeId": field}), end)
            .await
            .map_err(fail)?;
        let read = async {
            let object: Resolved =
                self.router.call(on, "DOM.resolveNode", json!({"backendNodeId": field}), end).await?;
            let held: Evaluated<Vec<(String, u64)>> = self
                .router
                .call(
                    on,
                    "Runtime.callFunctionOn",
                    json!({
                        "objectId": object.object.object_id, "returnByValue": true,
                        "functionDeclaration": "function () { return [...this.files].map((f) => [f.name, f.size]); }",
                    }),
                    end,
                )
                .await?;
            held.value()
        };
        Ok(read.await.ok().map(ReadBack::Files))
    }
}
