//! Looking: one walk per frame, all frames at once, until what was asked for holds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep_until};
use waymark_snapshot::{UiSnapshot, WindowKey};
use waymark_surface::{DriverError, FrameQuery, HintMatches, Observation, Observe, Reaction, Settling, Until};

use crate::assemble::{View, assemble, handle};
use crate::cdp::{Evaluated, FrameOwner, Resolved};
use crate::core::Core;
use crate::router::CallError;
use crate::settle::Event as Settle;
use crate::state::{Frame, State};
use crate::walk::{FrameElement, Walk};

/// A frame is not walked again sooner than this after its last walk.
const PACE: Duration = Duration::from_millis(30);
/// A walk that was answered so shortly ago, and since then nothing was noticed and nothing asked of the browser, is as good
/// as another: what proved a step is the first look of the next.
const JUST: Duration = Duration::from_millis(10);
/// So long a document that has just come is given to become readable before it is walked half written.
pub(crate) const HALF: Duration = Duration::from_millis(30);
/// The most of a look's time that one frame may take before the others are told without it.
const SHARE: Duration = Duration::from_secs(2);

/// What the driver remembers from look to look.
#[derive(Default)]
pub(crate) struct Memory {
    /// Number of the last observation.
    number: u64,
    snapshot: UiSnapshot,
    hints: HintMatches,
    /// What decides whether the content is another: per frame its place, address and content hash.
    content: Vec<(String, String, String)>,
    settling: Option<Settling>,
    /// How many calls the browser had been sent at the last observation.
    calls: u64,
}

/// What a walk gives: the walk, the frames' elements, a word that names this document's agent and, where its element can be
/// reached from within, the element that holds this document with the word of the agent that numbered it.
#[derive(Debug, Deserialize)]
struct Seen {
    w: Walk,
    f: Vec<FrameElement>,
    k: String,
    o: Option<(String, u32)>,
}

/// Which frames have to be walked.
#[derive(Clone, Copy, Debug)]
enum Scope {
    /// Watched frames that were not asked since `asked` or did not answer since `answered`, and those that changed.
    Since {
        asked: Duration,
        answered: Duration,
        /// Whether a document that is about to be replaced may be left out: the first look after something was delivered
        /// proves it or not, and nothing is done upon it.
        proving: bool,
    },
    /// Watched frames that changed.
    Changed,
}

/// One look's view on the watched frames.
struct Judged {
    settling: Settling,
    reaction: Reaction,
    answered: u32,
    /// When to look again if nothing happens.
    due: Option<Duration>,
}

impl Scope {
    /// Whether a frame has to be walked. One that is not watched is walked anew only where something was noticed in it:
    /// nothing is decided by what it shows.
    fn wants(self, frame: &Frame, watched: bool, leaving: bool) -> bool {
        if frame.crashed || frame.hung {
            return false;
        }
        let old = match self {
            Scope::Since { .. } if frame.blank => false,
            Scope::Since { proving: true, .. } if leaving => false,
            Scope::Since { asked, answered, .. } if watched => frame.walked_at < asked || frame.answered_at < answered,
            Scope::Since { .. } | Scope::Changed => false,
        };
        let noticed = frame.dirty && (watched || !matches!(self, Scope::Changed));
        old || noticed || frame.walked.is_none()
    }
}

impl Core {
    /// Looks at the session until the request's condition holds or the time is over.
    pub(crate) async fn look(
        &self,
        memory: &mut Memory,
        request: &Observe,
        deadline: Duration,
    ) -> Result<Observation, DriverError> {
        let end = Instant::now() + deadline;
        let mut changes = self.changes();
        // Who waits for a change since the latest look and asks for nothing else has just seen everything.
        let seen = matches!(request.until, Until::Change { after } if after == memory.number);
        let mut scope = if seen {
            Scope::Changed
        } else {
            let now = self.now();
            let again = memory.calls == self.router.calls();
            let proving = std::mem::take(&mut self.state().delivered);
            Scope::Since {
                asked: Duration::ZERO,
                answered: if again { now.saturating_sub(JUST) } else { now },
                proving,
            }
        };
        // A caller that looks again and again must not keep events from being read.
        tokio::task::yield_now().await;
        loop {
            changes.borrow_and_update();
            if let Some(why) = self.state().gone.clone() {
                return Err(DriverError::Gone { why });
            }
            let held = self.state().dialog.is_some();
            if !held {
                self.walk_frames(request, scope, end).await;
            }
            let fresh = !matches!(scope, Scope::Changed);
            scope = Scope::Changed;
            let judged = self.judge(request);
            let content = content_of(&self.state());
            let over = Instant::now() >= end;
            let wanted = match request.until {
                Until::Now => true,
                Until::Change { after } => {
                    after != memory.number
                        || memory.settling != Some(judged.settling)
                        || !self.state().facts.is_empty()
                        || (!held && memory.content != content)
                }
            };
            let at_rest = matches!(judged.settling, Settling::Settled | Settling::Waiting);
            if wanted && at_rest && !fresh && !over {
                // It was at rest before, and something else is told of now: nobody has looked since.
                scope = Scope::Since { asked: Duration::ZERO, answered: self.now(), proving: false };
                continue;
            }
            if wanted || over {
                return self.observation(memory, request, judged, content);
            }
            let written = self.half_written();
            let wake = judged.due.into_iter().chain(written).min().map_or(end, |due| self.instant(due).min(end));
            tokio::select! {
                changed = changes.changed() => if changed.is_err() {
                    return Err(DriverError::Gone { why: "the session ended".into() });
                },
                () = sleep_until(wake) => {
                    // The verdict is about to become `Settled`: that is believed on a fresh look only.
                    if let Some(due) = judged.due.filter(|due| self.now() >= *due) {
                        scope = Scope::Since { asked: due, answered: due, proving: false };
                    }
                }
            }
            if matches!(scope, Scope::Changed) {
                self.pace(request, end).await;
            }
        }
    }

    /// When the next document that has just come is walked although it cannot be read yet.
    fn half_written(&self) -> Option<Duration> {
        let state = self.state();
        let now = self.now();
        let half = state.frames.iter().filter(|(id, f)| {
            let empty = f.loader.is_empty() && f.parent.is_some();
            f.walked.is_none() && (empty || f.world.is_some() && state.settle.is_coming(id))
        });
        half.map(|(_, f)| f.committed_at + HALF).filter(|at| *at > now).min()
    }

    /// Lets changes that come in a rush gather, as long as it is only about walking again.
    async fn pace(&self, request: &Observe, end: Instant) {
        let latest = {
            let state = self.state();
            let watched = watched(&state, &request.watch);
            let changed = || state.frames.iter().filter(|(id, f)| f.dirty && watched.contains(*id)).map(|(_, f)| f);
            let came = changed().any(|f| f.came && !f.hung && !f.crashed);
            if came || !state.facts.is_empty() || state.dialog.is_some() || state.gone.is_some() {
                return;
            }
            changed().map(|f| f.walked_at).max()
        };
        if let Some(latest) = latest {
            sleep_until(self.instant(latest + PACE).min(end)).await;
        }
    }

    /// Walks the frames that need it, all at once.
    async fn walk_frames(&self, request: &Observe, scope: Scope, end: Instant) {
        // A document may be replaced while it is walked; its successor is walked then, within reason.
        for _ in 0..3 {
            let frames: Vec<(String, Vec<usize>)> = {
                let state = self.state();
                let wants = hints_by_frame(&state, request);
                let watched = watched(&state, &request.watch);
                let now = self.now();
                state
                    .frames
                    .iter()
                    .filter(|(id, f)| {
                        // What is about to be replaced is not asked for what it told already.
                        let leaving = state.settle.is_navigating(id);
                        let early = state.is_early(id, now);
                        // A hint that was not asked of it yet has no answer.
                        let lacks = |at: &usize| !f.hinted.contains(&request.hints[*at].hint);
                        let strange = !leaving && wants.get(*id).is_some_and(|wants| wants.iter().any(lacks));
                        (strange || scope.wants(f, watched.contains(*id), leaving)) && !early
                    })
                    // The agent of a document that has just come is about to be told of.
                    .filter(|(id, f)| f.world.is_some() || !state.settle.is_coming(id))
                    .map(|(id, _)| (id.clone(), wants.get(id).cloned().unwrap_or_default()))
                    .collect()
            };
            if frames.is_empty() {
                return;
            }
            let looked = join_all(frames.iter().map(|(frame, wants)| self.visit(frame, wants, request, end))).await;
            self.hold_frames(frames.iter().map(|(frame, _)| frame.as_str()), end).await;
            let state = self.state();
            let replaced = looked.contains(&Err(CallError::Detached))
                && state.dialog.is_none()
                && frames
                    .iter()
                    .any(|(id, _)| state.frames.get(id).is_some_and(|f| f.walked.is_none() && !f.hung && !f.crashed));
            if !replaced {
                return;
            }
        }
    }

    /// Finds out which elements hold the frames that were walked, where that is not known yet.
    async fn hold_frames(&self, walked: impl Iterator<Item = &str>, end: Instant) {
        let strange: Vec<String> = {
            let mut state = self.state();
            pair(&mut state);
            walked.filter(|id| !state.is_held(id)).map(str::to_owned).collect()
        };
        // An element in a document of another origin is out of the agent's reach.
        if !strange.is_empty() {
            let share = end.min(Instant::now() + SHARE);
            join_all(strange.iter().map(|frame| self.hold(frame, share))).await;
            pair(&mut self.state());
        }
    }

    async fn visit(&self, frame: &str, wants: &[usize], request: &Observe, end: Instant) -> Result<(), CallError> {
        // A page that loops takes its share once, a page that is merely large gets more each time.
        let slow = self.state().frames.get(frame).map_or(0, |f| f.slow.min(5));
        let share = end.min(Instant::now() + SHARE * 2_u32.pow(slow));
        self.walk(frame, wants, request, share).await
    }

    async fn walk(&self, frame: &str, wants: &[usize], request: &Observe, share: Instant) -> Result<(), CallError> {
        self.world(frame, share).await?;
        let (session, world) = {
            let mut state = self.state();
            let at = self.now();
            let entry = state.frames.get_mut(frame).ok_or(CallError::Detached)?;
            let world = entry.world.clone().ok_or(CallError::Detached)?;
            // What changes from here on may be missing in this walk.
            entry.dirty = false;
            entry.came = false;
            entry.walked_at = at;
            (entry.session.clone(), world)
        };
        let hints: Vec<&str> = wants.iter().map(|at| request.hints[*at].hint.as_str()).collect();
        // As text: the browser takes longer to hand out ten thousand values than the agent to write them down.
        let expression = format!(
            "JSON.stringify({{w: wm.walk({{hints: {}}}), f: wm.frameIds(), k: wm.word, o: wm.holder()}})",
            json!(hints)
        );
        let mut awaited = self.ask_in(&session, &world.unique, &expression, share);
        let reply = match awaited.answer::<Evaluated<String>>(share).await {
            Ok(reply) => reply.value().and_then(|text| read(&text)),
            // The document went away before it could answer.
            Err(CallError::Refused { message, .. }) if message.contains("context") => Err(CallError::Detached),
            Err(error) => Err(error),
        };
        let mut state = self.state();
        let now = self.now();
        let Some(entry) = state.frames.get_mut(frame).filter(|f| f.world.as_ref() == Some(&world)) else {
            return Err(CallError::Detached);
        };
        match reply {
            Ok(Seen { w: walk, f: elements, k: word, o: outer }) => {
                let changed = entry.walked.as_ref().is_some_and(|before| before.hash != walk.hash);
                let loaded = walk.ready != "loading" && !entry.loaded;
                entry.loaded |= loaded;
                entry.walked = Some(Arc::new(walk));
                entry.hinted = hints.into_iter().map(str::to_owned).collect();
                entry.answered_at = now;
                entry.word = word;
                entry.outer = outer;
                entry.elements = elements;
                if changed {
                    state.settle.note(now, Settle::Changed { frame });
                }
                if loaded {
                    state.settle.note(now, Settle::Readable { frame });
                }
                Ok(())
            }
            Err(error) => {
                entry.dirty = true;
                if matches!(error, CallError::Timeout { .. }) {
                    entry.hung = true;
                    entry.slow += 1;
                    entry.walked = None;
                    drop(state);
                    self.await_hung(frame, world.serial, awaited);
                }
                Err(error)
            }
        }
    }

    /// A frame that did not answer is left alone until it does.
    fn await_hung(&self, frame: &str, serial: u32, awaited: crate::router::Awaited) {
        let Some(core) = self.this() else { return };
        let frame = frame.to_owned();
        tokio::spawn(async move {
            let far = Instant::now() + Duration::from_secs(24 * 3600);
            let _ = awaited.within::<serde_json::Value>(far).await;
            let freed = {
                let mut state = core.state();
                let entry = state.frames.get_mut(&frame);
                entry.filter(|f| f.world.as_ref().is_some_and(|w| w.serial == serial)).map(|f| {
                    f.hung = false;
                    f.dirty = true;
                })
            };
            if freed.is_some() {
                core.wake();
            }
        });
    }

    /// Finds the element that holds a frame, once per document of its parent.
    pub(crate) async fn hold(&self, frame: &str, share: Instant) -> Result<(), CallError> {
        let Some(parent) = self.state().frames.get(frame).and_then(|f| f.parent.clone()) else { return Ok(()) };
        self.world(&parent, share).await?;
        let (session, world) = {
            let state = self.state();
            let above = state.frames.get(&parent).ok_or(CallError::Detached)?;
            let world = above.world.clone().ok_or(CallError::Detached)?;
            let known = state.frames.get(frame).and_then(|f| f.holder);
            if above.hung || known.is_some_and(|(serial, _)| serial == world.serial) {
                return Ok(());
            }
            (above.session.clone(), world)
        };
        let on = Some(&session);
        let owner: FrameOwner = self.router.call(on, "DOM.getFrameOwner", json!({"frameId": frame}), share).await?;
        let node: Resolved = self
            .router
            .call(
                on,
                "DOM.resolveNode",
                json!({"backendNodeId": owner.backend_node_id, "executionContextId": world.id}),
                share,
            )
            .await?;
        let adopted: Evaluated<u32> = self
            .router
            .call(
                on,
                "Runtime.callFunctionOn",
                json!({
                    "objectId": node.object.object_id, "returnByValue": true,
                    "functionDeclaration": "function () { return wm.adopt(this); }",
                }),
                share,
            )
            .await?;
        let id = adopted.value()?;
        if let Some(entry) = self.state().frames.get_mut(frame) {
            entry.holder = Some((world.serial, id));
        }
        Ok(())
    }

    /// The settling verdict over the watched frames.
    fn judge(&self, request: &Observe) -> Judged {
        let state = self.state();
        let watched = watched(&state, &request.watch);
        let above: BTreeSet<String> = watched.iter().flat_map(|id| above(&state, id)).collect();
        let now = self.now();
        let verdict = state.settle.verdict(now, |id| watched.contains(id), |id| above.contains(id));
        let unreadable =
            watched.iter().filter_map(|id| state.frames.get(id)).any(|f| f.walked.is_none() || f.crashed || f.hung);
        let fresh = watched
            .iter()
            .filter_map(|id| state.frames.get(id))
            .all(|f| verdict.due.is_none_or(|due| f.walked_at >= due));
        let at_rest = matches!(verdict.settling, Settling::Settled | Settling::Waiting);
        let (settling, due) = if state.dialog.is_some() {
            (Settling::Held, None)
        } else if verdict.settling == Settling::Navigating {
            (Settling::Navigating, None)
        } else if unreadable || watched.is_empty() {
            (Settling::Unreadable, None)
        } else if at_rest && !fresh {
            // Nothing was noticed, but nobody has looked since: look now.
            (Settling::Changing, Some(now))
        } else if at_rest {
            (verdict.settling, None)
        } else {
            (verdict.settling, verdict.due)
        };
        Judged { settling, reaction: verdict.reaction, answered: verdict.answered, due }
    }

    fn observation(
        &self,
        memory: &mut Memory,
        request: &Observe,
        judged: Judged,
        content: Vec<(String, String, String)>,
    ) -> Result<Observation, DriverError> {
        let mut state = self.state();
        if let Some(why) = state.gone.clone() {
            return Err(DriverError::Gone { why });
        }
        if state.windows.is_empty() && state.facts.is_empty() {
            return Err(DriverError::WindowClosed { window: WindowKey::main() });
        }
        if state.dialog.is_none() {
            memory.snapshot = snapshot_of(&state);
            memory.hints = hints_of(&state, request);
            memory.content = content;
        } else if memory.hints.len() != request.hints.len() {
            memory.hints = vec![Vec::new(); request.hints.len()];
        }
        memory.number += 1;
        memory.calls = self.router.calls();
        memory.settling = Some(judged.settling);
        Ok(Observation {
            number: memory.number,
            snapshot: memory.snapshot.clone(),
            hints: memory.hints.clone(),
            settling: judged.settling,
            reaction: judged.reaction,
            answered: judged.answered,
            facts: std::mem::take(&mut state.facts),
            windows: state.window_facts(),
            dialog: state.dialog.as_ref().map(|dialog| dialog.fact.clone()),
        })
    }
}

fn read(text: &str) -> Result<Seen, CallError> {
    serde_json::from_str(text)
        .map_err(|error| CallError::Refused { method: "Runtime.evaluate", message: error.to_string() })
}

/// Notes which elements hold the frames, where they lie, and their names.
fn pair(state: &mut State) {
    let parents: Vec<(String, u32, String, Vec<FrameElement>)> = state
        .frames
        .iter()
        .filter(|(_, f)| f.walked.is_some() && !f.elements.is_empty())
        .filter_map(|(id, f)| Some((id.clone(), f.world.as_ref()?.serial, f.word.clone(), f.elements.clone())))
        .collect();
    for (parent, serial, word, elements) in parents {
        for frame in state.frames.values_mut().filter(|f| f.parent.as_deref() == Some(&*parent)) {
            if let Some((_, id)) = frame.outer.as_ref().filter(|(of, _)| *of == word) {
                frame.holder = Some((serial, *id));
            }
            let Some((of, id)) = frame.holder else { continue };
            let Some((index, found)) = (0..).zip(&elements).find(|(_, element)| of == serial && element.0 == id) else {
                continue;
            };
            if !found.1.is_empty() {
                frame.name.clone_from(&found.1);
            }
            frame.element = Some((index, found.clone()));
        }
    }
}

fn content_of(state: &State) -> Vec<(String, String, String)> {
    state
        .frames
        .iter()
        .map(|(id, f)| {
            let hash = f.walked.as_ref().map(|walk| walk.hash.clone()).unwrap_or_default();
            (id.clone(), f.location.clone(), hash)
        })
        .collect()
}

fn snapshot_of(state: &State) -> UiSnapshot {
    let windows: Vec<_> = state.windows.iter().map(|w| (w.key.clone(), view(state, &w.target))).collect();
    assemble(&windows)
}

fn view<'a>(state: &'a State, id: &str) -> View<'a> {
    let Some(frame) = state.frames.get(id) else {
        return View {
            serial: 0,
            name: String::new(),
            index: 0,
            location: String::new(),
            walk: None,
            origin: None,
            frames: BTreeMap::new(),
        };
    };
    let serial = frame.world.as_ref().map_or(0, |world| world.serial);
    let inner = state
        .frames
        .iter()
        .filter(|(_, f)| f.parent.as_deref() == Some(id))
        .filter_map(|(inner, f)| {
            let (of, holder) = f.holder?;
            (of == serial).then(|| (holder, view(state, inner)))
        })
        .collect();
    View {
        serial,
        name: frame.name.clone(),
        index: frame.element.as_ref().map_or(0, |(index, _)| *index),
        location: frame.location.clone(),
        walk: frame.walked.as_deref().filter(|_| !frame.crashed && !frame.hung),
        origin: frame.element.as_ref().map(|(_, e)| (e.4, e.5)),
        frames: inner,
    }
}

fn hints_by_frame(state: &State, request: &Observe) -> BTreeMap<String, Vec<usize>> {
    let mut wants: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, hint) in request.hints.iter().enumerate() {
        if let (frame, true) = resolve(state, &hint.frame) {
            wants.entry(frame).or_default().push(at);
        }
    }
    wants
}

fn hints_of(state: &State, request: &Observe) -> HintMatches {
    let mut found = vec![Vec::new(); request.hints.len()];
    for (frame, wants) in hints_by_frame(state, request) {
        let Some(frame) = state.frames.get(&frame) else { continue };
        let (Some(world), Some(walk)) = (&frame.world, &frame.walked) else { continue };
        for want in wants {
            let Some(at) = frame.hinted.iter().position(|hint| *hint == request.hints[want].hint) else { continue };
            let ids = walk.hints.get(at).into_iter().flatten().flatten();
            found[want] = ids.map(|id| handle(world.serial, *id)).collect();
        }
    }
    found
}

/// The frames over which settling is judged.
fn watched(state: &State, queries: &[FrameQuery]) -> BTreeSet<String> {
    if queries.is_empty() {
        return state.frames.keys().cloned().collect();
    }
    let mut found = BTreeSet::new();
    for query in queries {
        let (at, whole) = resolve(state, query);
        if !whole {
            // A frame that is not there yet comes with its parent, or it is one of those that are not known by name yet.
            found.extend(state.children(&at).filter(|id| state.frames[*id].element.is_none()).map(str::to_owned));
        }
        found.insert(at);
    }
    found.remove("");
    found
}

fn above(state: &State, id: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = id.to_owned();
    while let Some(parent) = state.frames.get(&at).and_then(|f| f.parent.clone()) {
        found.push(parent.clone());
        at = parent;
    }
    found
}

/// The frame of a query, or the innermost one on its path that is there; the flag says which.
fn resolve(state: &State, query: &FrameQuery) -> (String, bool) {
    let main = WindowKey::main();
    let Some(window) = state.window(query.window.as_ref().unwrap_or(&main)) else {
        return (String::new(), false);
    };
    let mut at = window.target.clone();
    for name in &query.path {
        let named = |id: &&str| state.frames.get(*id).is_some_and(|f| f.name == *name);
        let titled = |id: &&str| {
            let frame = state.frames.get(*id);
            frame.and_then(|f| f.element.as_ref()).is_some_and(|(index, element)| {
                element.2 == *name || (element.1.is_empty() && element.2.is_empty() && *name == format!("#{index}"))
            })
        };
        let inner = state.children(&at).find(named).or_else(|| state.children(&at).find(titled));
        match inner.map(str::to_owned) {
            Some(inner) => at = inner,
            None => return (at, false),
        }
    }
    (at, true)
}
