//! Typing into fields and pressing keys.

use std::sync::Arc;

use serde_json::json;
use tokio::time::Instant;
use waymark_snapshot::NodeId;
use waymark_surface::{Key, NotDelivered, ReadBack, TypedText, TypingMode};

use super::aim::{Aim, Kind, Spot, Window};
use super::keys::{self, Stroke};
use super::{Miss, Tried, after, before};
use crate::cdp::Done;
use crate::core::Core;

impl Core {
    /// Replaces the content of a field: click it, select what is there, type, and read back. The focus stays:
    /// leaving the field is an act of its own, with its own consequences.
    pub(super) async fn type_text(
        &self,
        node: &NodeId,
        text: &TypedText,
        mode: TypingMode,
        end: Instant,
    ) -> Tried<Option<ReadBack>> {
        let aim = self.aim(node, end).await?;
        if !aim.kind.editable && !aim.kind.direct {
            let why = format!("a {} takes no text", word(&aim.kind));
            return Err(Miss::Not(NotDelivered::Unsupported { why }));
        }
        if aim.kind.readonly {
            return Err(Miss::Not(NotDelivered::Disabled));
        }
        if aim.kind.direct {
            self.put(&aim, text, end).await?;
        } else {
            self.begin();
            self.press_at(&aim.window, aim.point, end).await?;
            if self.select_all(&aim, matches!(text, TypedText::Secret(_)), end).await? {
                self.enter(&aim, text.expose(), mode, end).await?;
            }
        }
        Ok(self.read_back(&aim.spot, text, end).await)
    }

    pub(super) async fn press_key(&self, node: Option<&NodeId>, key: &Key, end: Instant) -> Tried<Option<ReadBack>> {
        let Some(stroke) = keys::read(&key.0) else {
            let why = format!("`{}` is no key", key.0);
            return Err(Miss::Not(NotDelivered::Unsupported { why }));
        };
        let window = match node {
            None => self.front()?,
            Some(node) => {
                let aim = self.aim(node, end).await?;
                let focus = format!("wm.focus({})", aim.spot.id);
                let focused: bool =
                    self.about(&aim.spot, &focus, end).await.map_err(|error| before(error, &aim.window.key))?;
                if !focused {
                    let why = format!("a {} takes no keys", word(&aim.kind));
                    return Err(Miss::Not(NotDelivered::Unsupported { why }));
                }
                aim.window
            }
        };
        self.begin();
        self.strokes(&window, &[stroke], end).await?;
        Ok(None)
    }

    /// Sends keys, all at once, and waits until all were taken.
    pub(super) async fn strokes(&self, window: &Window, strokes: &[Stroke], end: Instant) -> Tried<()> {
        let on = Some(&window.session);
        let sent: Vec<_> = strokes
            .iter()
            .flat_map(Stroke::events)
            .map(|event| self.router.send(on, "Input.dispatchKeyEvent", event))
            .collect();
        for (at, key) in sent.into_iter().enumerate() {
            match key.within::<Done>(end).await {
                Ok(_) => {}
                // The first event was taken and a later one found the window closed by it.
                Err(crate::router::CallError::Detached) if at > 0 => return Err(Miss::Reached),
                Err(error) => return Err(after(error, &window.key)),
            }
        }
        Ok(())
    }

    /// Fields that take no text from the keyboard in one go, such as dates, whose parts and their order depend
    /// on the language of the browser: they are set from the agent's world, with the events a person's input
    /// has. Trusted keys would have to know the order.
    async fn put(&self, aim: &Aim, text: &TypedText, end: Instant) -> Tried<()> {
        self.begin();
        let put = format!("wmx.put({}, {})", aim.spot.id, json!(text.expose()));
        let taken: bool = self.about(&aim.spot, &put, end).await.map_err(|error| after(error, &aim.window.key))?;
        if taken {
            return Ok(());
        }
        let why = format!("an input of type {} does not take this text", aim.kind.kind);
        Err(Miss::Not(NotDelivered::Unsupported { why }))
    }

    /// Selects what a field holds; says whether the field has the focus, so that what is typed goes there. One that hid
    /// what it holds and no longer does once it has the focus is not given a secret.
    async fn select_all(&self, aim: &Aim, secret: bool, end: Instant) -> Tried<bool> {
        let id = aim.spot.id;
        let hides = if secret && aim.kind.kind == "password" { " && f.type === 'password'" } else { "" };
        // Some pages move the focus on a click; then it is asked for once, and else nothing is typed.
        let expression = format!(
            "(() => {{ if (!wmx.kindOf({id}).focused) wm.focus({id}); const f = wmx.kindOf({id}); \
             return !f.gone && f.focused{hides} && wm.selectAll({id}); }})()"
        );
        self.about(&aim.spot, &expression, end).await.map_err(|error| after(error, &aim.window.key))
    }

    async fn enter(&self, aim: &Aim, text: &str, mode: TypingMode, end: Instant) -> Tried<()> {
        if text.is_empty() {
            if aim.kind.empty {
                return Ok(());
            }
            let delete: Vec<Stroke> = keys::read("Delete").into_iter().collect();
            return self.strokes(&aim.window, &delete, end).await;
        }
        match mode {
            TypingMode::Insert => self.insert(&aim.window.session, text, aim, end).await,
            TypingMode::Keys => {
                let mut run = Vec::new();
                for c in text.chars() {
                    if let Some(stroke) = keys::character(c) {
                        run.push(stroke);
                        continue;
                    }
                    // No key types this character: it comes as text between the keys.
                    self.strokes(&aim.window, &std::mem::take(&mut run), end).await?;
                    self.insert(&aim.window.session, &c.to_string(), aim, end).await?;
                }
                self.strokes(&aim.window, &run, end).await
            }
        }
    }

    async fn insert(&self, session: &Arc<str>, text: &str, aim: &Aim, end: Instant) -> Tried<()> {
        self.router
            .call::<Done>(Some(session), "Input.insertText", json!({"text": text}), end)
            .await
            .map(|_| ())
            .map_err(|error| after(error, &aim.window.key))
    }

    /// What the field holds now; a secret is compared where it lies.
    async fn read_back(&self, spot: &Spot, text: &TypedText, end: Instant) -> Option<ReadBack> {
        #[derive(serde::Deserialize)]
        struct Match {
            equal: bool,
        }
        if let TypedText::Plain(_) = text {
            let held = self.held(spot, end).await.ok()?;
            if held.gone {
                return None;
            }
            if !held.protected {
                return Some(ReadBack::Value(held.value.unwrap_or(held.text)));
            }
        }
        let compare = format!("wm.match({}, {})", spot.id, json!(text.expose()));
        let compared: Match = self.about(spot, &compare, end).await.ok()?;
        Some(ReadBack::Compared { equal: compared.equal })
    }
}

pub(super) fn word(kind: &Kind) -> String {
    if kind.role.is_empty() { kind.tag.clone() } else { kind.role.clone() }
}
