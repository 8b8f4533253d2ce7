//! What goes wrong between the browser and the bank, and forms that somebody wrote worse.

use waymark_fixture_apps::Place;

use crate::judge::ANY_STOP;

/// The form says "done" as soon as it is sent.
macro_rules! done {
    () => {
        "bank.byId('transferForm').addEventListener('submit', () => { \
           bank.text('amountResult', bank.money(Number(bank.byId('amount').value))); \
           bank.text('fromAccountIdResult', bank.byId('fromAccountId').value); \
           bank.text('toAccountIdResult', bank.byId('toAccountId').value); \
           bank.hide('showForm'); bank.show('showResult'); }); "
    };
}

/// What a request meets on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// There is never an answer.
    Unanswered,
    /// The head of an answer comes, and nothing after it.
    HeadOnly,
    /// An answer ends before its end.
    Truncated,
    /// The connection is reset.
    Reset,
    /// The answer leads to an address that is not allowed.
    Elsewhere,
    /// The form says "done" at once; then the bank refuses.
    Refused,
    /// As above, and the form never takes it back.
    RefusedUntold,
    /// As the first, and the refusal takes longer than the page is looked at.
    RefusedLate,
    /// The form says "done" at once; the bank books it only after a while.
    BookedLate,
    /// The button is pressed again before the answer has come, as by a double click.
    PressedTwice,
    /// As above, by somebody who lost patience.
    PressedLater,
    /// The form sends everything twice by itself.
    SentTwice,
}

impl Wire {
    /// The word in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Wire::Unanswered => "no_answer",
            Wire::HeadOnly => "head_only",
            Wire::Truncated => "answer_cut",
            Wire::Reset => "answer_reset",
            Wire::Elsewhere => "led_off_origin",
            Wire::Refused => "done_then_refused",
            Wire::RefusedUntold => "done_though_refused",
            Wire::RefusedLate => "done_then_refused_late",
            Wire::BookedLate => "done_then_booked_late",
            Wire::PressedTwice => "pressed_twice",
            Wire::PressedLater => "pressed_again_later",
            Wire::SentTwice => "sent_twice",
        }
    }

    /// Where and how often each strikes on the way of a job that comes by these places. Only documents are bound to
    /// the allowed origins, so only they can be led off them.
    pub fn all(places: &[Place], moves_money: bool) -> Vec<(Wire, Place, bool)> {
        let mut all = Vec::new();
        for wire in [Wire::Unanswered, Wire::HeadOnly, Wire::Truncated, Wire::Reset, Wire::Elsewhere] {
            for place in places.iter().filter(|place| wire != Wire::Elsewhere || place.is_page()) {
                all.extend([true, false].map(|once| (wire, *place, once)));
            }
        }
        let forms = [
            Wire::Refused,
            Wire::RefusedUntold,
            Wire::RefusedLate,
            Wire::BookedLate,
            Wire::PressedTwice,
            Wire::PressedLater,
            Wire::SentTwice,
        ];
        if moves_money {
            all.extend(forms.map(|wire| (wire, Place::Transfer, false)));
        }
        all
    }

    /// Whether it is a form that was written worse, and not the way.
    #[must_use]
    pub fn is_a_form(self) -> bool {
        !self.script().is_empty()
    }

    /// How often the form itself, or somebody else at it, sends a payment that was pressed once. The bank behind it
    /// knows a payment that it has already, as one must that has such forms.
    #[must_use]
    pub fn payments(self) -> usize {
        if matches!(self, Wire::PressedTwice | Wire::PressedLater | Wire::SentTwice) { 2 } else { 1 }
    }

    /// What the form for transfers does beside what it should.
    #[must_use]
    pub fn script(self) -> &'static str {
        match self {
            Wire::Refused | Wire::RefusedLate | Wire::BookedLate => {
                concat!(
                    done!(),
                    "new MutationObserver(() => bank.hide('showResult')).observe(bank.byId('showError'), {attributes: true});"
                )
            }
            Wire::RefusedUntold => {
                concat!(
                    done!(),
                    "new MutationObserver(() => bank.byId('showError').remove()).observe(bank.byId('showError'), {attributes: true});"
                )
            }
            Wire::PressedTwice => {
                "{ const button = document.querySelector('#transferForm input[type=submit]'); let more = 1; \
                   button.addEventListener('click', () => { if (more-- > 0) setTimeout(() => button.click(), 30); }); }"
            }
            Wire::PressedLater => {
                "{ const button = document.querySelector('#transferForm input[type=submit]'); let more = 1; \
                   button.addEventListener('click', () => { if (more-- > 0) setTimeout(() => button.click(), 700); }); }"
            }
            Wire::SentTwice => {
                "bank.byId('transferForm').addEventListener('submit', () => \
                   bank.ask('POST', 'services_proxy/bank/transfer?' + bank.query({ \
                     fromAccountId: bank.byId('fromAccountId').value, toAccountId: bank.byId('toAccountId').value, \
                     amount: bank.byId('amount').value }), null, () => {}, () => {}));"
            }
            _ => "",
        }
    }

    /// The codes with which a run may end that it struck, beside `effect_unknown` where money is moved.
    #[must_use]
    pub fn permitted(self, place: Place, once: bool) -> Vec<&'static str> {
        let pays = matches!(place, Place::Submit | Place::Booked);
        let mut may = match self {
            // Whoever waits long enough does not know more.
            Wire::Unanswered | Wire::HeadOnly => vec!["not_settled", "timeout"],
            // To the page it is a failure that it shows in its own words; a document is half there, or none.
            Wire::Truncated | Wire::Reset => [ANY_STOP, &["transfer_refused"][..usize::from(pays)]].concat(),
            Wire::Elsewhere => vec!["policy_blocked"],
            // What the screen says is not believed before the account shows it.
            Wire::Refused | Wire::RefusedUntold | Wire::RefusedLate => {
                vec!["transfer_refused", "checkpoint_unmet", "not_settled", "timeout"]
            }
            Wire::BookedLate => vec!["success", "checkpoint_unmet", "not_settled", "timeout"],
            Wire::PressedTwice | Wire::PressedLater | Wire::SentTwice => vec!["success"],
        };
        // What was booked is found; what was lost once may be asked for again where nothing is changed by asking.
        if place == Place::Booked || once && !pays || matches!(self, Wire::Truncated) && !pays {
            may.push("success");
        }
        may
    }
}
