//! Settling, rule 1: when the watched frames have come to rest after an act.
//!
//! Fed with what happened and when; there is no clock in here. A new rule is a new number beside this one.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use waymark_surface::{Reaction, Settling};

/// Quiet time after a visible change or a finished navigation.
pub(crate) const SHORT: Duration = Duration::from_millis(50);
/// Quiet time after a request that changed nothing visible, or where nothing reacted.
pub(crate) const LONG: Duration = Duration::from_millis(350);
/// Changes up to this long after the input was acknowledged are the input's own echo.
pub(crate) const ECHO: Duration = Duration::from_millis(20);
/// So many regular starts make a request a repeating one.
const REPEATS: usize = 3;

/// What happened. Frames and requests go by the names the browser gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event<'a> {
    /// An act begins: what is open now is not its doing.
    Act,
    /// The application acknowledged the act's input.
    Acknowledged,
    /// A navigation of a frame is under way.
    NavigationStarted { frame: &'a str },
    /// The frame shows another document; requests of earlier ones no longer matter.
    Committed { frame: &'a str, document: &'a str },
    /// The document that came is complete enough to be read.
    Readable { frame: &'a str },
    /// Loading stopped, whatever came of it.
    NavigationEnded { frame: &'a str },
    /// The frame is gone.
    FrameGone { frame: &'a str },
    /// A document, XHR or fetch request left. `key` is method and path.
    RequestStarted { id: &'a str, frame: &'a str, document: &'a str, key: &'a str },
    /// The answer to a request began to arrive.
    Answered { id: &'a str },
    /// A request ended, well or not.
    RequestEnded { id: &'a str },
    /// The visible content of a frame is another.
    Changed { frame: &'a str },
}

/// The verdict at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// `Settled`, `Navigating`, `Requesting` or `Changing`.
    pub(crate) settling: Settling,
    /// What the act set in motion.
    pub(crate) reaction: Reaction,
    /// How many of the requests that count were answered.
    pub(crate) answered: u32,
    /// When the verdict becomes `Settled` if nothing else happens.
    pub(crate) due: Option<Duration>,
}

/// The memory of the rule.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rule1 {
    acted: Duration,
    acknowledged: Option<Duration>,
    /// Navigations under way, and whether their document came.
    navigating: BTreeMap<String, bool>,
    frames: BTreeMap<String, Frame>,
    requests: BTreeMap<String, Request>,
    /// Starts of each request of a frame, the latest ones.
    starts: BTreeMap<(String, String), Vec<Duration>>,
    /// Requests that repeat by themselves.
    repeating: BTreeSet<(String, String)>,
    /// Requests that were open when the act began.
    open_before: BTreeSet<(String, String)>,
}

#[derive(Clone, Debug, Default)]
struct Frame {
    navigated: Option<Duration>,
    changed: Option<Duration>,
    echoed: Option<Duration>,
    answered: u32,
}

#[derive(Clone, Debug)]
struct Request {
    frame: String,
    document: String,
    key: String,
    counts: bool,
    answered: Option<Duration>,
    ended: Option<Duration>,
}

impl Rule1 {
    /// Takes note of an event. Events come in the order of their times.
    pub(crate) fn note(&mut self, at: Duration, event: Event<'_>) {
        match event {
            Event::Act => self.act(at),
            Event::Acknowledged => self.acknowledged = Some(at),
            Event::NavigationStarted { frame } => {
                self.navigating.insert(frame.to_owned(), false);
            }
            Event::Committed { frame, document } => {
                self.navigating.insert(frame.to_owned(), true);
                self.requests.retain(|_, r| r.frame != frame || r.document == document);
                self.starts.retain(|(of, _), _| of != frame);
                self.repeating.retain(|(of, _)| of != frame);
                // What the new document asks for is its own, also where the earlier one still waited for the same.
                self.open_before.retain(|(of, _)| of != frame);
            }
            // The document that a navigation is about to replace can be read too.
            Event::Readable { frame } if self.navigating.get(frame) != Some(&true) => {}
            Event::Readable { frame } | Event::NavigationEnded { frame } => {
                if self.navigating.remove(frame).is_some() {
                    self.frame(frame).navigated = Some(at);
                }
            }
            Event::FrameGone { frame } => {
                self.navigating.remove(frame);
                self.requests.retain(|_, r| r.frame != frame);
                self.starts.retain(|(of, _), _| of != frame);
                self.repeating.retain(|(of, _)| of != frame);
                self.open_before.retain(|(of, _)| of != frame);
                self.frames.remove(frame);
            }
            Event::RequestStarted { id, frame, document, key } => self.start(at, id, frame, document, key),
            Event::Answered { id } => {
                if let Some(request) = self.requests.get_mut(id).filter(|r| r.answered.is_none()) {
                    request.answered = Some(at);
                    if request.counts {
                        let frame = request.frame.clone();
                        self.frame(&frame).answered += 1;
                    }
                }
            }
            Event::RequestEnded { id } => {
                if let Some(request) = self.requests.get_mut(id) {
                    request.ended.get_or_insert(at);
                }
            }
            Event::Changed { frame } => {
                let echo = self.acknowledged.is_some_and(|ack| at <= ack + ECHO);
                let frame = self.frame(frame);
                if echo { frame.echoed = Some(at) } else { frame.changed = Some(at) }
            }
        }
    }

    /// Whether a document has come to a frame that cannot be read yet.
    pub(crate) fn is_coming(&self, frame: &str) -> bool {
        self.navigating.get(frame) == Some(&true)
    }

    /// Whether a navigation of a frame is under way.
    pub(crate) fn is_navigating(&self, frame: &str) -> bool {
        self.navigating.contains_key(frame)
    }

    /// The verdict over the frames that `watched` names; of those that `above` names (the frames around them)
    /// only navigations matter, which would take the watched ones away.
    pub(crate) fn verdict(
        &self,
        at: Duration,
        watched: impl Fn(&str) -> bool,
        above: impl Fn(&str) -> bool,
    ) -> Verdict {
        let moved = |id: &str| watched(id) || above(id);
        let requests: Vec<&Request> = self.requests.values().filter(|r| r.counts && watched(&r.frame)).collect();
        let frames: Vec<&Frame> = self.frames.iter().filter(|(id, _)| watched(id)).map(|(_, f)| f).collect();
        let navigating = self.navigating.keys().any(|id| moved(id));
        let navigated = self.frames.iter().filter(|(id, _)| moved(id)).filter_map(|(_, f)| f.navigated).max();
        let content =
            navigating || navigated.is_some() || frames.iter().any(|f| f.changed.is_some() || f.echoed.is_some());
        let reaction = match (content, requests.is_empty()) {
            (true, _) => Reaction::Content,
            (false, false) => Reaction::Request,
            (false, true) => Reaction::None,
        };
        let answered = frames.iter().map(|f| f.answered).sum();
        let open = |settling| Verdict { settling, reaction, answered, due: None };
        if navigating {
            return open(Settling::Navigating);
        }
        if requests.iter().any(|r| r.ended.is_none()) {
            return open(Settling::Requesting);
        }
        let changed = frames.iter().filter_map(|f| f.changed).max();
        // Open already when the act began, and not known to repeat: an answer to an earlier act may still come.
        let repeats = |r: &Request| self.repeating.contains(&(r.frame.clone(), r.key.clone()));
        let before: Vec<&Request> =
            self.requests.values().filter(|r| !r.counts && watched(&r.frame) && !repeats(r)).collect();
        let asked = requests.iter().chain(&before).filter_map(|r| {
            let ended = r.ended?;
            let showed = changed.is_some_and(|c| c >= r.answered.unwrap_or(ended));
            let loaded = navigated.is_some_and(|n| n >= r.answered.unwrap_or(ended));
            Some(ended + if showed || loaded { SHORT } else { LONG })
        });
        let reacted = changed.iter().chain(&navigated).map(|at| *at + SHORT).chain(asked).max();
        let due = reacted.unwrap_or_else(|| {
            let echoed = frames.iter().filter_map(|f| f.echoed).max();
            echoed.unwrap_or_default().max(self.acknowledged.unwrap_or(self.acted)) + LONG
        });
        if at < due {
            Verdict { settling: Settling::Changing, reaction, answered, due: Some(due) }
        } else {
            let waits = before.iter().any(|r| r.ended.is_none());
            let settling = if waits { Settling::Waiting } else { Settling::Settled };
            Verdict { settling, reaction, answered, due: Some(due) }
        }
    }

    fn act(&mut self, at: Duration) {
        for (key, starts) in &self.starts {
            if repeats(starts, at, self.acted) {
                self.repeating.insert(key.clone());
            }
        }
        self.requests.retain(|_, r| r.ended.is_none());
        self.open_before = self.requests.values().map(|r| (r.frame.clone(), r.key.clone())).collect();
        for request in self.requests.values_mut() {
            request.counts = false;
        }
        self.frames.clear();
        self.acted = at;
        self.acknowledged = None;
    }

    fn start(&mut self, at: Duration, id: &str, frame: &str, document: &str, key: &str) {
        let name = (frame.to_owned(), key.to_owned());
        let starts = self.starts.entry(name.clone()).or_default();
        if starts.len() == REPEATS {
            starts.remove(0);
        }
        starts.push(at);
        // One that was open when the act began, ended and begins anew is asked again and again.
        let again = |r: &Request| r.frame == name.0 && r.key == name.1;
        let of_its_kind: Vec<&Request> = self.requests.values().filter(|r| again(r)).collect();
        if self.open_before.contains(&name) && !of_its_kind.is_empty() && of_its_kind.iter().all(|r| r.ended.is_some())
        {
            self.repeating.insert(name.clone());
        }
        // A redirect is the same request at another address: it keeps its standing.
        let counts = match self.requests.get(id) {
            Some(known) => known.counts,
            None => !self.repeating.contains(&name) && !self.open_before.contains(&name),
        };
        let request =
            Request { frame: name.0, document: document.to_owned(), key: name.1, counts, answered: None, ended: None };
        self.requests.insert(id.to_owned(), request);
    }

    fn frame(&mut self, id: &str) -> &mut Frame {
        self.frames.entry(id.to_owned()).or_default()
    }
}

/// Whether a request repeats by itself: regular starts, still going on, and more than one of them since the
/// last act, for what each act sets off once looks regular too.
fn repeats(starts: &[Duration], now: Duration, acted: Duration) -> bool {
    if starts.len() < REPEATS || starts.iter().filter(|start| **start > acted).count() < 2 {
        return false;
    }
    let gaps: Vec<Duration> = starts.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
    let (Some(least), Some(most), Some(last)) = (gaps.iter().min(), gaps.iter().max(), starts.last()) else {
        return false;
    };
    *most <= *least * 2 && now.saturating_sub(*last) <= *most * 2
}

#[cfg(test)]
#[path = "settle_tests.rs"]
mod tests;
