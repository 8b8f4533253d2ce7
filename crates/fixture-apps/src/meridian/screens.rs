//! What each address answers.

use time::Date;

use super::Site;
use super::format;
use super::host::{Kind, Member, Refusal};
use super::screen::{FieldKind, Form, Link, Part, Screen, Table};
use super::words::{Slot, Variant, Word};
use crate::faults::Place;
use crate::parabank::bank::TODAY;

/// One request for a screen.
pub(super) struct Ask<'a> {
    pub(super) session: &'a str,
    /// Below the application: `mi0200`.
    pub(super) name: &'a str,
    pub(super) form: &'a [(String, String)],
    pub(super) is_post: bool,
    pub(super) variant: Variant,
}

impl Ask<'_> {
    /// A field of the form, without surrounding space; empty where it is missing.
    fn field(&self, slot: Slot) -> &str {
        let name = slot.name(self.variant);
        self.form.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.trim())
    }

    fn cents(&self, slot: Slot) -> Option<i64> {
        format::cents(self.field(slot), self.variant)
    }

    fn money(&self, cents: i64) -> String {
        format::money(cents, self.variant)
    }

    fn date(&self, date: Date) -> String {
        format::date(date, self.variant)
    }
}

pub(super) enum Answer {
    Show(Screen),
    /// Something was changed, and this says so.
    Booked(Screen),
    /// Elsewhere below the application.
    GoTo(&'static str),
    NotFound,
}

/// The screen that an address is named after.
pub(super) fn place(name: &str) -> Option<Place> {
    if name == "admin" || name.starts_with("admin/") {
        return Some(Place::Ad0900);
    }
    Place::of_meridian().iter().copied().find(|place| place.is_screen() && place.name().eq_ignore_ascii_case(name))
}

/// Whether a request for this address changes something at the host.
pub(super) fn commits(name: &str, is_post: bool) -> bool {
    is_post && ["sa0510", "tr0620", "tn0700", "admin/purge"].contains(&name)
}

pub(super) fn answer(site: &mut Site, ask: &Ask) -> Answer {
    if ask.name == "signoff" {
        if let Some(session) = site.sessions.get_mut(ask.session) {
            session.sign_off();
        }
        return Answer::GoTo("mi0100");
    }
    let Some(place) = place(ask.name) else {
        return Answer::NotFound;
    };
    if place == Place::Mi0100 {
        return sign_on(site, ask);
    }
    if !site.sessions.is_signed_on(ask.session) {
        return Answer::Show(sign_on_again(site, ask.session));
    }
    match place {
        Place::Mi0200 => return Answer::Show(inquiry(None, "")),
        Place::Mi0210 if ask.is_post => {
            let number = ask.field(Slot::Member).to_owned();
            let chosen = site.host.member(&number).map(|member| member.number.to_owned());
            if let Some(session) = site.sessions.get_mut(ask.session) {
                session.member = chosen.as_ref().ok().cloned();
            }
            if let Err(refusal) = chosen {
                return Answer::Show(inquiry(Some(refusal.words(ask.variant)), &number));
            }
        }
        Place::Ad0900 => return administration(site, ask),
        _ => {}
    }
    let number = site.sessions.get(ask.session).and_then(|session| session.member.clone());
    let member = match number.as_deref().ok_or(Refusal::NoMemberChosen).and_then(|number| site.host.member(number)) {
        Ok(member) => member.clone(),
        Err(refusal) => return Answer::Show(inquiry(Some(refusal.words(ask.variant)), "")),
    };
    let mut answer = of_member(site, ask, place, &member);
    if let Answer::Show(screen) | Answer::Booked(screen) = &mut answer {
        screen.member = Some((member.number.to_owned(), member.name.to_owned()));
    }
    answer
}

/// What stands where a session is needed and there is none.
pub(super) fn sign_on_again(site: &Site, session: &str) -> Screen {
    let ended = site.sessions.get(session).is_some_and(|session| session.ended);
    let words = if ended { "SO-0012 SESSION ENDED - SIGN ON AGAIN" } else { "SO-0010 SIGN ON FIRST" };
    sign_on_screen(Some(words.to_owned()))
}

fn of_member(site: &mut Site, ask: &Ask, place: Place, member: &Member) -> Answer {
    Answer::Show(match place {
        Place::Mi0210 => detail(site, ask, member),
        Place::Sa0320 => shares(site, ask, member),
        Place::Ln0410 => loans(site, ask, member),
        Place::Sa0500 => open(site, ask, member, None),
        Place::Sa0510 if ask.is_post => return opened(site, ask, member),
        Place::Sa0510 => return Answer::GoTo("sa0500"),
        Place::Tr0600 => transfer(site, ask, member, None),
        Place::Tr0610 if ask.is_post => confirm(site, ask, member, Place::Tr0610),
        Place::Tr0615 if ask.is_post && ask.variant == Variant::C => confirm(site, ask, member, Place::Tr0615),
        Place::Tr0620 if ask.is_post => return transferred(site, ask, member),
        Place::Tn0700 => return notes(site, ask, member),
        _ => return Answer::GoTo("tr0600"),
    })
}

fn sign_on(site: &mut Site, ask: &Ask) -> Answer {
    if !ask.is_post {
        return Answer::Show(sign_on_screen(None));
    }
    if !site.host.knows(ask.field(Slot::Operator), ask.field(Slot::Password)) {
        return Answer::Show(sign_on_screen(Some("SO-0007 OPERATOR ID OR PASSWORD NOT VALID".to_owned())));
    }
    if let Some(session) = site.sessions.get_mut(ask.session) {
        session.sign_on();
    }
    Answer::GoTo("mi0200")
}

fn sign_on_screen(message: Option<String>) -> Screen {
    let form = Form::new(("signon", "f-desk"), "mi0100", Word::DoSignOn)
        .field(Word::Operator, Slot::Operator, FieldKind::Text(12, String::new()))
        .field(Word::Password, Slot::Password, FieldKind::Secret);
    Screen::new(Place::Mi0100, Word::SignOn).with(Part::Form(form)).say(message)
}

fn inquiry(message: Option<String>, number: &str) -> Screen {
    let form = Form::new(("inq", "f-search"), "mi0210", Word::DoInquire).field(
        Word::MemberNo,
        Slot::Member,
        FieldKind::Text(10, number.to_owned()),
    );
    Screen::new(Place::Mi0200, Word::Inquiry).with(Part::Form(form)).say(message)
}

fn detail(site: &Site, ask: &Ask, member: &Member) -> Screen {
    let facts = vec![
        (Word::MemberNo, member.number.to_owned()),
        (Word::Name, member.name.to_owned()),
        (Word::Address, member.street.to_owned()),
        (Word::City, member.city.to_owned()),
        (Word::Since, ask.date(member.since)),
    ];
    let shares = site.host.shares(member.number).map(|share| vec![share.id.clone(), share.kind.name().to_owned()]);
    let loans = site.host.loans(member.number).map(|loan| vec![loan.id.to_owned(), loan.kind.to_owned()]);
    let rows = shares.chain(loans).collect();
    let links = [
        (Word::Shares, "sa0320"),
        (Word::Loans, "ln0410"),
        (Word::Open, "sa0500"),
        (Word::Transfer, "tr0600"),
        (Word::Notes, "tn0700"),
    ];
    Screen::new(Place::Mi0210, Word::Detail)
        .with(Part::Facts(facts))
        .with(Part::Table(table(ask, Word::SubAccounts, &[Word::ShareId, Word::Kind], rows)))
        .with(Part::Links(links.into_iter().map(|(word, to)| Link { word, to }).collect()))
}

fn shares(site: &Site, ask: &Ask, member: &Member) -> Screen {
    let rows = site.host.shares(member.number).map(|share| {
        vec![share.id.clone(), share.kind.name().to_owned(), ask.money(share.cents), ask.money(share.available())]
    });
    let postings = site.host.postings(member.number).map(|posting| {
        vec![
            ask.date(posting.date),
            posting.reference.clone(),
            posting.share.clone(),
            posting.what.clone(),
            ask.money(posting.cents),
        ]
    });
    let columns = [Word::ShareId, Word::Kind, Word::Balance, Word::Available];
    let history = [Word::Date, Word::Reference, Word::ShareId, Word::Description, Word::Amount];
    Screen::new(Place::Sa0320, Word::Shares)
        .with(Part::Table(table(ask, Word::Shares, &columns, rows.collect())))
        .with(Part::Table(table(ask, Word::Activity, &history, postings.collect())))
}

fn loans(site: &Site, ask: &Ask, member: &Member) -> Screen {
    let rows = site.host.loans(member.number).map(|loan| {
        vec![
            loan.id.to_owned(),
            loan.kind.to_owned(),
            ask.money(loan.cents),
            ask.money(loan.rate),
            ask.money(loan.payment),
            ask.date(loan.due),
        ]
    });
    let columns = [Word::LoanId, Word::Kind, Word::Balance, Word::Rate, Word::Payment, Word::Due];
    Screen::new(Place::Ln0410, Word::Loans).with(Part::Table(table(ask, Word::Loans, &columns, rows.collect())))
}

fn open(site: &Site, ask: &Ask, member: &Member, refusal: Option<Refusal>) -> Screen {
    let kinds = Kind::ALL.iter().map(|kind| (kind.name().to_owned(), kind.name().to_owned())).collect();
    let form = Form::new(("opnacct", "f-suffix"), "sa0510", Word::DoOpen)
        .field(Word::Kind, Slot::Kind, FieldKind::Choice(kinds, ask.field(Slot::Kind).to_owned()))
        .field(Word::Deposit, Slot::Deposit, FieldKind::Text(14, ask.field(Slot::Deposit).to_owned()))
        .field(Word::FromShare, Slot::From, choice(site, ask, member, Slot::From));
    Screen::new(Place::Sa0500, Word::Open).with(Part::Form(form)).say(refusal.map(|refusal| refusal.words(ask.variant)))
}

fn opened(site: &mut Site, ask: &Ask, member: &Member) -> Answer {
    let (kind, from, deposit) = (ask.field(Slot::Kind), ask.field(Slot::From), ask.cents(Slot::Deposit));
    let done = match site.host.open(member.number, kind, deposit, from) {
        Ok(done) => done,
        Err(refusal) => return Answer::Show(open(site, ask, member, Some(refusal))),
    };
    let facts = vec![
        (Word::Reference, done.reference),
        (Word::Date, ask.date(TODAY)),
        (Word::ShareId, done.share),
        (Word::Kind, kind.to_owned()),
        (Word::Deposit, ask.money(deposit.unwrap_or_default())),
        (Word::FromShare, from.to_owned()),
    ];
    let screen = Screen::new(Place::Sa0510, Word::Opened)
        .with(Part::Facts(facts))
        .with(back_to_member())
        .say(Some("SA-0000 SUB-ACCOUNT OPENED".to_owned()));
    Answer::Booked(screen)
}

fn transfer(site: &Site, ask: &Ask, member: &Member, refusal: Option<Refusal>) -> Screen {
    let form = Form::new(("xfer", "f-move"), "tr0610", Word::DoReview)
        .field(Word::FromShare, Slot::From, choice(site, ask, member, Slot::From))
        .field(Word::ToShare, Slot::To, choice(site, ask, member, Slot::To))
        .field(Word::Amount, Slot::Amount, FieldKind::Text(14, ask.field(Slot::Amount).to_owned()))
        .field(Word::Memo, Slot::Memo, FieldKind::Text(24, ask.field(Slot::Memo).to_owned()));
    Screen::new(Place::Tr0600, Word::Transfer)
        .with(Part::Form(form))
        .say(refusal.map(|refusal| refusal.words(ask.variant)))
}

/// The first confirmation, and for one tenant a second one before anything is posted.
fn confirm(site: &Site, ask: &Ask, member: &Member, place: Place) -> Screen {
    let (from, to, cents) = (ask.field(Slot::From), ask.field(Slot::To), ask.cents(Slot::Amount));
    let cents = match site.host.check(member.number, from, to, cents) {
        Ok(cents) => cents,
        Err(refusal) => return transfer(site, ask, member, Some(refusal)),
    };
    let (title, names, action, word) = match (place, ask.variant) {
        (Place::Tr0610, Variant::C) => (Word::Confirm, ("xconf", "f-review"), "tr0615", Word::DoVerify),
        (Place::Tr0610, _) => (Word::Confirm, ("xconf", "f-review"), "tr0620", Word::DoPost),
        _ => (Word::ConfirmAgain, ("xconf2", "f-review-two"), "tr0620", Word::DoPost),
    };
    let mut form = Form::new(names, action, word);
    for slot in [Slot::From, Slot::To, Slot::Amount, Slot::Memo] {
        form = form.carry(slot, ask.field(slot));
    }
    Screen::new(place, title)
        .with(Part::Facts(movement(ask, cents)))
        .with(Part::Line("POSTED TRANSFERS CANNOT BE REVERSED."))
        .with(Part::Form(form))
}

fn transferred(site: &mut Site, ask: &Ask, member: &Member) -> Answer {
    let (from, to, cents) = (ask.field(Slot::From), ask.field(Slot::To), ask.cents(Slot::Amount));
    let done = match site.host.transfer(member.number, from, to, cents) {
        Ok(done) => done,
        Err(refusal) => return Answer::Show(transfer(site, ask, member, Some(refusal))),
    };
    let mut facts = vec![(Word::Reference, done.reference), (Word::Date, ask.date(TODAY))];
    facts.extend(movement(ask, cents.unwrap_or_default()));
    let screen = Screen::new(Place::Tr0620, Word::Receipt)
        .with(Part::Facts(facts))
        .with(back_to_member())
        .say(Some("TR-0000 TRANSFER POSTED".to_owned()));
    Answer::Booked(screen)
}

fn movement(ask: &Ask, cents: i64) -> Vec<(Word, String)> {
    vec![
        (Word::FromShare, ask.field(Slot::From).to_owned()),
        (Word::ToShare, ask.field(Slot::To).to_owned()),
        (Word::Amount, ask.money(cents)),
        (Word::Memo, ask.field(Slot::Memo).to_owned()),
    ]
}

fn notes(site: &mut Site, ask: &Ask, member: &Member) -> Answer {
    let (mut message, mut booked) = (None, false);
    if ask.is_post {
        match site.host.add_note(member.number, ask.field(Slot::Note)) {
            Ok(()) => (message, booked) = (Some("TN-0000 NOTE SAVED".to_owned()), true),
            Err(refusal) => message = Some(refusal.words(ask.variant)),
        }
    }
    let known = site.host.notes(member.number);
    let notes = known.map(|note| (format!("{} {}", ask.date(note.date), note.teller), note.text.clone()));
    let form =
        Form::new(("addnote", "f-remark"), "tn0700", Word::DoSave).field(Word::Note, Slot::Note, FieldKind::Area);
    let screen =
        Screen::new(Place::Tn0700, Word::Notes).with(Part::Notes(notes.collect())).with(Part::Form(form)).say(message);
    if booked { Answer::Booked(screen) } else { Answer::Show(screen) }
}

fn administration(site: &mut Site, ask: &Ask) -> Answer {
    let form = Form::new(("prg", "f-erase"), "admin/purge", Word::DoPurge).field(
        Word::MemberNo,
        Slot::Member,
        FieldKind::Text(10, String::new()),
    );
    let screen = Screen::new(Place::Ad0900, Word::Admin)
        .with(Part::Line("PURGED RECORDS CANNOT BE RESTORED."))
        .with(Part::Form(form));
    if !commits(ask.name, ask.is_post) {
        return Answer::Show(screen);
    }
    match site.host.purge(ask.field(Slot::Member)) {
        Ok(()) => Answer::Booked(screen.say(Some("AD-0000 MEMBER RECORDS PURGED".to_owned()))),
        Err(refusal) => Answer::Show(screen.say(Some(refusal.words(ask.variant)))),
    }
}

fn choice(site: &Site, ask: &Ask, member: &Member, slot: Slot) -> FieldKind {
    let shares = site.host.shares(member.number);
    let options = shares.map(|share| (share.id.clone(), format!("{} {}", share.id, share.kind.name())));
    FieldKind::Choice(options.collect(), ask.field(slot).to_owned())
}

fn back_to_member() -> Part {
    Part::Links(vec![Link { word: Word::BackToMember, to: "mi0210" }, Link { word: Word::Shares, to: "sa0320" }])
}

/// One tenant has its columns the other way round.
fn table(ask: &Ask, title: Word, columns: &[Word], mut rows: Vec<Vec<String>>) -> Table {
    let mut columns = columns.to_vec();
    if ask.variant == Variant::C {
        columns.reverse();
        rows.iter_mut().for_each(|row| row.reverse());
    }
    Table { title, columns, rows }
}
