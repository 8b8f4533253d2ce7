//! From what the navigator points at to one node: by its number, by its label on the screen, or by the selector's choice.

use waymark_snapshot::{Ix, Node, RoleClass, UiSnapshot};

use super::{Came, Ending, Walk, unless_stopped};
use crate::ground::{Candidate, Grounded, Meant, ground};
use crate::list::is_control;
use crate::selector::Choice;
use crate::{Decision, Listed, ModelError, Pointed, Said, Stage, Written};

/// Candidates that are told when nobody is there to tell them apart.
const SHOWN: usize = 8;

impl<S: Stage> Walk<'_, '_, S> {
    /// The node that is meant; or what the navigator is told instead. Nothing is done to anything here.
    pub(super) async fn pointed(
        &mut self,
        pointed: &Pointed,
        decision: &Decision,
        written: &Written,
        listed: &Listed,
        screen: &UiSnapshot,
    ) -> Result<Result<Meant, Came>, Ending> {
        let fits = |node: &Node| takes(decision, node);
        let (number, label) = match pointed {
            Pointed::Number(number) => return self.numbered(listed, *number),
            Pointed::Label(label) => (None, label),
            Pointed::Both(number, label) => (Some(*number), label),
        };
        let reads = matches!(decision, Decision::Read { .. });
        let grounded = ground(screen, listed, &self.veiled(), &fits, reads, label);
        if let Some(number) = number {
            let around = listed.node(number);
            let inside = |node: Ix| around.is_some_and(|around| screen.ancestors(node).any(|(up, _)| up == around));
            return match grounded {
                // What is read may be a part of what has the number.
                Grounded::One(one) if reads && inside(one.node) => Ok(Ok(one)),
                Grounded::One(other) if other.number != number => {
                    self.contradiction(number, &format!("is called by {}", called(listed, other.number)))
                }
                Grounded::Several(several) if several.iter().all(|c| c.number != number) => {
                    let others: Vec<String> = several.iter().take(SHOWN).map(|c| said(listed, c)).collect();
                    self.contradiction(number, &format!("fits {}", others.join(", ")))
                }
                _ => self.numbered(listed, number),
            };
        }
        match grounded {
            Grounded::One(one) => {
                let element = listed.node(one.number).map(|_| one.number.into());
                let label = self.shown(label);
                self.stage.tell(Said::Grounded { turn: self.turns, label, by_model: false, element });
                Ok(Ok(one))
            }
            Grounded::Several(candidates) => self.select(label, candidates, true, written, listed).await,
            Grounded::Loose(candidates) => self.select(label, candidates, false, written, listed).await,
        }
    }

    fn numbered(&mut self, listed: &Listed, number: u32) -> Result<Result<Meant, Came>, Ending> {
        match listed.node(number) {
            Some(node) => Ok(Ok(Meant { number, node, row: None })),
            None => self.miss(format!("refused: there is no element {number} in the list")).map(Err),
        }
    }

    fn contradiction(&mut self, number: u32, what: &str) -> Result<Result<Meant, Came>, Ending> {
        self.miss(format!("refused: `element` is {number}, and `label` {what}; give one of the two")).map(Err)
    }

    /// Asks the selector. Its answer is one of the candidates or a result for the navigator, never an action on its own.
    async fn select(
        &mut self,
        label: &str,
        candidates: Vec<Candidate>,
        called: bool,
        written: &Written,
        listed: &Listed,
    ) -> Result<Result<Meant, Came>, Ending> {
        let wanted = self.shown(label);
        let many = candidates.len();
        if candidates.is_empty() {
            return self.miss(format!("refused: nothing in the list can be meant by \"{wanted}\"")).map(Err);
        }
        let why = if called {
            format!("\"{wanted}\" fits {many} elements")
        } else {
            format!("nothing is called \"{wanted}\"")
        };
        let told = candidates.iter().take(SHOWN).map(|c| said(listed, c)).collect::<Vec<_>>();
        let told = format!("{}{}", told.join(", "), if many > SHOWN { ", …" } else { "" });
        let give = if candidates.iter().all(|c| listed.node(c.number).is_some()) {
            "the number"
        } else {
            "what tells it apart"
        };
        let told_apart = format!("refused: {why}; give {give}: {told}");
        if self.selector.is_none() {
            return self.miss(told_apart).map(Err);
        }
        if many > self.job.limits.candidates {
            return self.miss(format!("refused: {why}, and {many} could be meant; give the number")).map(Err);
        }
        // What it costs is paid from the one purse.
        self.purse()?;
        let left = self.left();
        let reason = self.stage.veil(&self.job.values.veiled(&written.reason));
        let choice = Choice { action: written.action.clone(), wanted, reason, candidates };
        let within = self.job.limits.call_time.min(left);
        let Some(selector) = self.selector.as_deref_mut() else { return self.miss(told_apart).map(Err) };
        let (turn, label) = (self.turns, choice.wanted.clone());
        // Before it is asked, so that it is known also where no answer comes.
        self.stage.tell(Said::AskedWhich { turn, label: label.clone(), prompt: choice.prompt() });
        let selected = {
            let asked = selector.select(&choice, within);
            unless_stopped(asked, self.stage).await?
        };
        self.pay(selected.calls);
        self.selections += 1;
        let answered = selected.reply.as_ref().ok().copied().flatten();
        self.stage.tell(Said::Grounded { turn, label, by_model: true, element: answered });
        let wanted = &choice.wanted;
        match selected.reply {
            Ok(Some(number)) => {
                let meant = choice.candidates.iter().find(|c| i64::from(c.number) == number);
                let node = meant.and_then(|c| {
                    let unnumbered = || listed.unnumbered().find(|(number, _)| *number == c.number);
                    listed.node(c.number).or_else(|| Some(unnumbered()?.1))
                });
                match meant.zip(node) {
                    Some((meant, node)) => Ok(Ok(Meant { number: meant.number, node, row: None })),
                    None => {
                        let said = format!("refused: the selector answers {number}, which is none of: {told}");
                        self.miss(said).map(Err)
                    }
                }
            }
            Ok(None) => {
                let said =
                    format!("refused: the selector cannot say which one \"{wanted}\" means; give the number: {told}");
                self.miss(said).map(Err)
            }
            Err(ModelError::InvalidOutput { why }) => {
                let why = self.shown(&why);
                self.miss(format!("refused: the selector's answer cannot be used ({why}); give the number: {told}"))
                    .map(Err)
            }
            Err(error) => Err(self.unanswered(error, left)),
        }
    }

    /// What a model wrote, as it may be shown.
    fn shown(&self, text: &str) -> String {
        let text = self.stage.veil(&self.job.values.veiled(text));
        waymark_snapshot::squash(&text.replace(char::is_control, " ")).chars().take(200).collect()
    }
}

/// A candidate in words, with its number where it has one in the list.
fn said(listed: &Listed, candidate: &Candidate) -> String {
    match listed.node(candidate.number) {
        Some(_) => format!("{} {}", candidate.number, candidate.words),
        None => candidate.words.clone(),
    }
}

fn called(listed: &Listed, number: u32) -> String {
    listed.node(number).map_or_else(|| "something without a number".to_owned(), |_| number.to_string())
}

/// Whether an element can take the action at all.
fn takes(decision: &Decision, node: &Node) -> bool {
    match decision {
        Decision::Type { .. } => node.role.class() == RoleClass::TextEntry,
        Decision::Choose { .. } => node.role.class() == RoleClass::Choice || !node.detail.options.is_empty(),
        Decision::SetChecked { .. } => node.role.class() == RoleClass::Toggle,
        Decision::Click { .. } => is_control(node),
        Decision::ReadTable { .. } => node.role.is_table(),
        Decision::Read { .. } => !node.role.is_table(),
        _ => true,
    }
}
