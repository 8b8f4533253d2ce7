//! The host behind the screens: members, shares, loans, notes and what was posted, on a day that never ends.
//!
//! Amounts are whole cents. It does not know HTTP. Whatever is asked twice is done twice: it is for the screens, and for
//! whoever drives them, not to ask twice.

#![expect(clippy::inconsistent_digit_grouping, reason = "amounts are cents: the last two digits stand apart")]

use time::Date;

use super::format;
use super::seed;
use super::words::Variant;
use crate::parabank::bank::TODAY;

#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) number: &'static str,
    pub(super) name: &'static str,
    pub(super) street: &'static str,
    pub(super) city: &'static str,
    pub(super) since: Date,
    /// No teller may look at it.
    pub(super) restricted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    RegularSavings,
    ShareDraft,
    HolidayClub,
    MoneyMarket,
    Certificate,
}

impl Kind {
    pub(super) const ALL: [Kind; 5] =
        [Kind::RegularSavings, Kind::ShareDraft, Kind::HolidayClub, Kind::MoneyMarket, Kind::Certificate];

    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::RegularSavings => "REGULAR SAVINGS",
            Kind::ShareDraft => "SHARE DRAFT CHECKING",
            Kind::HolidayClub => "HOLIDAY CLUB",
            Kind::MoneyMarket => "MONEY MARKET",
            Kind::Certificate => "CERTIFICATE 12 MO",
        }
    }

    /// Least deposit at opening.
    pub(super) fn minimum(self) -> i64 {
        match self {
            Kind::RegularSavings => 5_00,
            Kind::ShareDraft => 25_00,
            Kind::HolidayClub => 10_00,
            Kind::MoneyMarket => 1_000_00,
            Kind::Certificate => 500_00,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Share {
    /// `12345-00`
    pub(super) id: String,
    pub(super) member: String,
    pub(super) kind: Kind,
    pub(super) cents: i64,
    /// What of it is held back.
    pub(super) held: i64,
}

impl Share {
    pub(super) fn available(&self) -> i64 {
        self.cents - self.held
    }
}

#[derive(Debug, Clone)]
pub(super) struct Loan {
    pub(super) id: &'static str,
    pub(super) member: &'static str,
    pub(super) kind: &'static str,
    pub(super) cents: i64,
    pub(super) payment: i64,
    /// Hundredths of a percent.
    pub(super) rate: i64,
    pub(super) due: Date,
}

/// One line of a share's history.
#[derive(Debug, Clone)]
pub(super) struct Posting {
    pub(super) reference: String,
    pub(super) date: Date,
    pub(super) share: String,
    pub(super) what: String,
    pub(super) cents: i64,
}

#[derive(Debug, Clone)]
pub(super) struct Note {
    pub(super) member: String,
    pub(super) date: Date,
    pub(super) teller: &'static str,
    pub(super) text: String,
}

/// What was done: its number, and the share that came of it.
#[derive(Debug, Clone)]
pub(super) struct Done {
    pub(super) reference: String,
    pub(super) share: String,
}

/// Why the host does not do it, in its own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    NoMember,
    NotEntitled,
    NoMemberChosen,
    NotANumber,
    NoShare,
    SameShare,
    NotAnAmount,
    BelowMinimum(i64),
    NotAvailable,
    EmptyNote,
}

impl Refusal {
    /// `SA-0021 OPENING DEPOSIT BELOW MINIMUM OF 1,000.00`
    pub(super) fn words(self, variant: Variant) -> String {
        match self {
            Refusal::NoMember => "MI-0011 NO SUCH MEMBER".to_owned(),
            Refusal::NotEntitled => "SEC-0413 OPERATOR NOT ENTITLED TO THIS MEMBER".to_owned(),
            Refusal::NoMemberChosen => "MI-0012 SELECT A MEMBER FIRST".to_owned(),
            Refusal::NotANumber => "MI-0010 MEMBER NUMBER MUST BE 5 DIGITS".to_owned(),
            Refusal::NoShare => "SA-0020 NO SUCH SHARE OR TYPE".to_owned(),
            Refusal::BelowMinimum(least) => {
                format!("SA-0021 OPENING DEPOSIT BELOW MINIMUM OF {}", format::money(least, variant))
            }
            Refusal::NotAvailable => "SA-0022 AMOUNT EXCEEDS AVAILABLE BALANCE".to_owned(),
            Refusal::SameShare => "TR-0032 FROM AND TO SHARE ARE THE SAME".to_owned(),
            Refusal::NotAnAmount => "TR-0033 AMOUNT NOT VALID".to_owned(),
            Refusal::EmptyNote => "TN-0041 NOTE TEXT IS EMPTY".to_owned(),
        }
    }
}

#[derive(Debug)]
pub(super) struct Host {
    password: String,
    members: Vec<Member>,
    shares: Vec<Share>,
    loans: Vec<Loan>,
    postings: Vec<Posting>,
    notes: Vec<Note>,
    next_reference: u32,
}

impl Host {
    /// As at the start; the teller has the password that is given, else his own.
    pub(super) fn seeded(password: Option<&str>) -> Self {
        Self {
            password: password.unwrap_or("demo123").to_owned(),
            members: seed::members(),
            shares: seed::shares(),
            loans: seed::loans(),
            postings: seed::postings(),
            notes: seed::notes(),
            next_reference: 700_101,
        }
    }

    pub(super) fn knows(&self, operator: &str, password: &str) -> bool {
        operator.eq_ignore_ascii_case("teller1") && password == self.password
    }

    /// The member of a number, for a teller.
    pub(super) fn member(&self, number: &str) -> Result<&Member, Refusal> {
        if number.len() != 5 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Refusal::NotANumber);
        }
        let member = self.members.iter().find(|member| member.number == number).ok_or(Refusal::NoMember)?;
        if member.restricted { Err(Refusal::NotEntitled) } else { Ok(member) }
    }

    pub(super) fn shares(&self, member: &str) -> impl Iterator<Item = &Share> {
        self.shares.iter().filter(move |share| share.member == member)
    }

    pub(super) fn loans(&self, member: &str) -> impl Iterator<Item = &Loan> {
        self.loans.iter().filter(move |loan| loan.member == member)
    }

    /// What was posted on a member's shares, newest first.
    pub(super) fn postings(&self, member: &str) -> impl Iterator<Item = &Posting> {
        let own: Vec<&str> = self.shares(member).map(|share| share.id.as_str()).collect();
        self.postings.iter().rev().filter(move |posting| own.contains(&posting.share.as_str()))
    }

    pub(super) fn notes(&self, member: &str) -> impl Iterator<Item = &Note> {
        self.notes.iter().filter(move |note| note.member == member)
    }

    /// Opens a sub-account with a deposit out of another share.
    pub(super) fn open(&mut self, member: &str, kind: &str, deposit: Option<i64>, from: &str) -> Result<Done, Refusal> {
        let kind = Kind::ALL.into_iter().find(|known| known.name() == kind).ok_or(Refusal::NoShare)?;
        let deposit = deposit.filter(|cents| *cents >= 0).ok_or(Refusal::NotAnAmount)?;
        let available = self.share(member, from)?.available();
        if deposit < kind.minimum() {
            return Err(Refusal::BelowMinimum(kind.minimum()));
        }
        if deposit > available {
            return Err(Refusal::NotAvailable);
        }
        let suffix = (1..).map(|number| format!("{member}-{:02}", number * 10));
        let free = suffix.into_iter().find(|id| self.shares.iter().all(|share| share.id != *id));
        let id = free.ok_or(Refusal::NoShare)?;
        self.shares.push(Share { id: id.clone(), member: member.to_owned(), kind, cents: 0, held: 0 });
        let reference = self.move_money(from, &id, deposit, "OPENING DEPOSIT");
        Ok(Done { reference, share: id })
    }

    /// Whether a transfer could be posted.
    pub(super) fn check(&self, member: &str, from: &str, to: &str, cents: Option<i64>) -> Result<i64, Refusal> {
        let cents = cents.filter(|cents| *cents > 0).ok_or(Refusal::NotAnAmount)?;
        let available = self.share(member, from)?.available();
        self.share(member, to)?;
        if from == to {
            Err(Refusal::SameShare)
        } else if cents > available {
            Err(Refusal::NotAvailable)
        } else {
            Ok(cents)
        }
    }

    pub(super) fn transfer(&mut self, member: &str, from: &str, to: &str, cents: Option<i64>) -> Result<Done, Refusal> {
        let cents = self.check(member, from, to, cents)?;
        let reference = self.move_money(from, to, cents, "SHARE TRANSFER");
        Ok(Done { reference, share: to.to_owned() })
    }

    pub(super) fn add_note(&mut self, member: &str, text: &str) -> Result<(), Refusal> {
        if text.trim().is_empty() {
            return Err(Refusal::EmptyNote);
        }
        let text = text.trim().to_owned();
        self.notes.push(Note { member: member.to_owned(), date: TODAY, teller: "TELLER1", text });
        Ok(())
    }

    /// Forgets a member and everything of his.
    pub(super) fn purge(&mut self, member: &str) -> Result<(), Refusal> {
        self.member(member)?;
        self.members.retain(|known| known.number != member);
        self.shares.retain(|share| share.member != member);
        self.loans.retain(|loan| loan.member != member);
        self.notes.retain(|note| note.member != member);
        Ok(())
    }

    fn share(&self, member: &str, id: &str) -> Result<&Share, Refusal> {
        self.shares(member).find(|share| share.id == id).ok_or(Refusal::NoShare)
    }

    fn move_money(&mut self, from: &str, to: &str, cents: i64, what: &str) -> String {
        let reference = format!("R{}", self.next_reference);
        self.next_reference += 1;
        for (id, cents) in [(from, -cents), (to, cents)] {
            if let Some(share) = self.shares.iter_mut().find(|share| share.id == id) {
                share.cents += cents;
            }
            self.postings.push(Posting {
                reference: reference.clone(),
                date: TODAY,
                share: id.to_owned(),
                what: what.to_owned(),
                cents,
            });
        }
        reference
    }
}
