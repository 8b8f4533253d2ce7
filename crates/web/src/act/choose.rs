//! Choosing an option.
//!
//! A native list is opened by a click and driven by the keyboard: arrows move within the open list without the
//! page noticing, and Enter commits, so that exactly one change reaches the page. Both browsers do so without a
//! window too. Where a page keeps the list from opening, the option is set from the agent's world instead, with
//! one input and one change event: there is no trusted input left that would reach it.

use tokio::time::Instant;
use waymark_snapshot::NodeId;
use waymark_surface::{NotDelivered, OptionRule, ReadBack, TypedText};

use super::aim::{Aim, Kind, Spot};
use super::keys;
use super::typing::word;
use super::{Miss, Tried, after, before};
use crate::core::Core;

/// Text, whether chosen, whether it can be reached by keys, number of the element.
type Choice = (String, bool, bool, u32);

impl Core {
    pub(super) async fn choose(
        &self,
        node: &NodeId,
        option: &TypedText,
        rule: OptionRule,
        end: Instant,
    ) -> Tried<Option<ReadBack>> {
        let aim = self.aim(node, end).await?;
        if aim.kind.tag == "select" {
            return self.choose_native(aim, option, rule, end).await;
        }
        if matches!(aim.kind.role.as_str(), "combobox" | "listbox") {
            return self.choose_drawn(aim, option, rule, end).await;
        }
        let why = format!("a {} offers no options", word(&aim.kind));
        Err(Miss::Not(NotDelivered::Unsupported { why }))
    }

    async fn choose_native(
        &self,
        aim: Aim,
        option: &TypedText,
        rule: OptionRule,
        end: Instant,
    ) -> Tried<Option<ReadBack>> {
        let id = aim.spot.id;
        let choices: Vec<Choice> = self
            .about(&aim.spot, &format!("wmx.choices({id})"), end)
            .await
            .map_err(|error| before(error, &aim.window.key))?;
        let texts: Vec<&str> = choices.iter().map(|c| c.0.as_str()).collect();
        let wanted = only(&texts, option, rule)?;
        let (_, chosen, reachable, element) = choices[wanted];
        if chosen && !aim.kind.list {
            return Ok(Some(ReadBack::Value(choices[wanted].0.clone())));
        }
        if !reachable {
            return Err(Miss::Not(NotDelivered::Disabled));
        }
        let mut committed = false;
        if aim.kind.list {
            let spot = Spot { id: element, ..aim.spot.clone() };
            let at = self.aim_at(spot, end).await?;
            self.begin();
            self.press_at(&at.window, at.point, end).await?;
            committed = true;
        } else {
            self.begin();
            self.press_at(&aim.window, aim.point, end).await?;
            let kind: Kind = self
                .about(&aim.spot, &format!("wmx.kindOf({id})"), end)
                .await
                .map_err(|error| after(error, &aim.window.key))?;
            if kind.open {
                let strokes: Vec<_> = path(&choices, wanted).into_iter().filter_map(keys::read).collect();
                self.strokes(&aim.window, &strokes, end).await?;
                committed = true;
            }
        }
        if !committed {
            let _: bool = self
                .about(&aim.spot, &format!("wmx.pick({id}, {wanted})"), end)
                .await
                .map_err(|error| after(error, &aim.window.key))?;
        }
        Ok(match self.held(&aim.spot, end).await {
            Ok(held) if !held.gone => Some(ReadBack::Value(held.selected.join("\n"))),
            _ => None,
        })
    }

    /// A list that the page draws itself: open it, wait for its options, click the one.
    async fn choose_drawn(
        &self,
        aim: Aim,
        option: &TypedText,
        rule: OptionRule,
        end: Instant,
    ) -> Tried<Option<ReadBack>> {
        let id = aim.spot.id;
        let drawn: Vec<(u32, String, bool)> = self
            .about(&aim.spot, &format!("wmx.drawn({id})"), end)
            .await
            .map_err(|error| before(error, &aim.window.key))?;
        let drawn = if drawn.is_empty() {
            self.begin();
            self.press_at(&aim.window, aim.point, end).await?;
            let left = end.saturating_duration_since(Instant::now()).as_millis() / 2;
            self.about(&aim.spot, &format!("wmx.whenDrawn({id}, {})", left.min(3000)), end)
                .await
                .map_err(|error| after(error, &aim.window.key))?
        } else {
            drawn
        };
        // From here on "not delivered" speaks of the choice: an open list has not chosen anything.
        let texts: Vec<&str> = drawn.iter().map(|c| c.1.as_str()).collect();
        let wanted = only(&texts, option, rule)?;
        let spot = Spot { id: drawn[wanted].0, ..aim.spot.clone() };
        let at = self.aim_at(spot, end).await?;
        self.begin();
        self.press_at(&at.window, at.point, end).await?;
        Ok(match self.held(&aim.spot, end).await {
            Ok(held) if !held.gone => match held.value.filter(|value| !value.is_empty()) {
                Some(value) => Some(ReadBack::Value(value)),
                // A list box shows the choice in itself; a closed box shows it as its text.
                None if aim.kind.role == "listbox" => self.drawn_choice(&aim.spot, end).await.map(ReadBack::Value),
                None => Some(ReadBack::Value(held.text)),
            },
            _ => None,
        })
    }

    async fn drawn_choice(&self, spot: &Spot, end: Instant) -> Option<String> {
        let drawn: Vec<(u32, String, bool)> = self.about(spot, &format!("wmx.drawn({})", spot.id), end).await.ok()?;
        drawn.into_iter().find(|(_, _, chosen)| *chosen).map(|(_, text, _)| text)
    }
}

/// The one option that a text means.
fn only(texts: &[&str], option: &TypedText, rule: OptionRule) -> Tried<usize> {
    match rule.find(option.expose(), texts)[..] {
        [at] => Ok(at),
        [] => Err(Miss::Not(NotDelivered::OptionAbsent { options: texts.iter().map(|t| (*t).to_owned()).collect() })),
        _ => Err(Miss::Not(NotDelivered::OptionAmbiguous {
            option: match option {
                TypedText::Plain(text) => text.clone(),
                TypedText::Secret(_) => "the secret one".into(),
            },
        })),
    }
}

/// The keys from the chosen option of an open list to the wanted one.
fn path(choices: &[Choice], wanted: usize) -> Vec<&'static str> {
    let reachable: Vec<usize> = (0..choices.len()).filter(|at| choices[*at].2).collect();
    let place = |at: usize| reachable.iter().position(|r| *r == at);
    let to = place(wanted).unwrap_or(0);
    let from = choices.iter().position(|c| c.1).and_then(place);
    let mut keys = Vec::new();
    // Where nothing that can be reached is chosen, the way begins at the top.
    let from = from.unwrap_or_else(|| {
        keys.push("Home");
        0
    });
    let arrow = if to > from { "ArrowDown" } else { "ArrowUp" };
    keys.extend(std::iter::repeat_n(arrow, to.abs_diff(from)));
    keys.push("Enter");
    keys
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn the_way_through_a_list_passes_only_what_can_be_reached() {
        let check = |list: &str, wanted: usize, expected: &str| {
            let choices: Vec<_> =
                list.split(' ').map(|w| (w.to_owned(), w.contains('*'), !w.contains('!'), 0)).collect();
            assert_eq!(path(&choices, wanted).join(" "), expected);
        };
        check("a* b c", 2, "ArrowDown ArrowDown Enter");
        check("a !b c*", 0, "ArrowUp Enter");
        check("!a* b c", 2, "Home ArrowDown Enter");
        check("a b c", 0, "Home Enter");
    }
}
