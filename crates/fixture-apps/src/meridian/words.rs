//! What each tenant calls things: the same screens in other words, and fields that are sent under other names.
//!
//! Screen identifiers, codes, the words of the host and kinds of shares are the product's and the same for all tenants.

/// Whose skin the console wears. All do the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Variant {
    /// As the vendor delivers it.
    #[default]
    A,
    /// Other words, other markup, other names of everything.
    B,
    /// As the vendor delivers it, with tables the other way round, continental amounts and dates, and one more
    /// confirmation of a transfer.
    C,
}

impl Variant {
    pub fn name(self) -> &'static str {
        match self {
            Variant::A => "a",
            Variant::B => "b",
            Variant::C => "c",
        }
    }

    /// Amounts as `1.234,56` and dates as `14.09.2026`.
    pub(super) fn is_continental(self) -> bool {
        self == Variant::C
    }
}

macro_rules! words {
    ($($word:ident $a:literal $b:literal)*) => {
        /// A caption, a heading, a link or a button.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Word { $($word),* }

        impl Word {
            pub(super) fn of(self, variant: Variant) -> &'static str {
                let (a, b) = match self { $(Word::$word => ($a, $b)),* };
                if variant == Variant::B { b } else { a }
            }
        }
    };
}

words!(
    // Screens.
    SignOn "Operator Sign On" "Log On To The Desk"
    Inquiry "Member Inquiry" "Account Holder Search"
    Detail "Member Detail" "Account Holder Profile"
    Shares "Share Accounts" "Deposit Suffixes"
    Loans "Loan Accounts" "Lending Suffixes"
    Open "Open Sub-Account" "New Suffix"
    Opened "Sub-Account Opened" "Suffix Created"
    Transfer "Share Transfer" "Move Between Suffixes"
    Confirm "Confirm Transfer" "Review Movement"
    ConfirmAgain "Confirm Transfer - Second Look" "Review Movement Again"
    Receipt "Transfer Receipt" "Movement Receipt"
    Notes "Teller Notes" "Desk Remarks"
    Admin "Purge Member Records" "Erase Holder Records"
    Failure "Host Message" "Message From The Host"
    SignOff "Sign Off" "Log Off"
    Maintenance "SCHEDULED MAINTENANCE" "PLANNED DOWNTIME"
    // Fields and columns.
    Operator "Operator ID" "User Code"
    Password "Password" "Pass Phrase"
    MemberNo "Member No." "Account Holder #"
    Name "Name" "Holder"
    Address "Address" "Street"
    City "City" "Town"
    Since "Member Since" "Holder From"
    Kind "Account Type" "Product"
    Deposit "Opening Deposit" "First Deposit"
    FromShare "From Share" "Out Of Suffix"
    ToShare "To Share" "Into Suffix"
    Amount "Amount" "Sum"
    Memo "Memo" "Reason"
    Note "Note Text" "Remark"
    ShareId "Share ID" "Suffix"
    LoanId "Loan ID" "Lending No."
    Balance "Balance" "Current Balance"
    Available "Available" "Free To Use"
    Rate "Rate %" "Interest"
    Payment "Payment" "Instalment"
    Due "Next Due" "Falls Due"
    Date "Date" "On"
    Reference "Reference" "Trace No."
    Description "Description" "What"
    Activity "Recent Activity" "Last Movements"
    SubAccounts "Sub-Accounts" "Suffixes"
    // Buttons.
    DoSignOn "Sign On" "Log On"
    DoInquire "Inquire" "Find"
    DoOpen "Open Account" "Create Suffix"
    DoReview "Review" "Look Over"
    DoVerify "Verify" "Looks Right"
    DoPost "Post Transfer" "Post Movement"
    DoSave "Save Note" "Add Remark"
    DoPurge "Purge Records" "Erase Records"
    DoProceed "Continue" "Go On"
    BackToMember "Return To Member" "Back To Holder"
    // What a fault puts in place of the words above.
    OtherButton "Proceed" "Carry On"
    OtherColumn "Amount Held" "Standing"
);

/// A field of a form, by what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Operator,
    Password,
    Member,
    Kind,
    Deposit,
    From,
    To,
    Amount,
    Memo,
    Note,
}

impl Slot {
    /// The name it is sent under.
    pub(super) fn name(self, variant: Variant) -> &'static str {
        let (a, b) = match self {
            Slot::Operator => ("OPID", "usr-code"),
            Slot::Password => ("OPPW", "usr-phrase"),
            Slot::Member => ("MBRNO", "holder-ref"),
            Slot::Kind => ("ACTYP", "product-key"),
            Slot::Deposit => ("OPDEP", "first-sum"),
            Slot::From => ("FRSHR", "out-suffix"),
            Slot::To => ("TOSHR", "in-suffix"),
            Slot::Amount => ("TRAMT", "move-sum"),
            Slot::Memo => ("TRMEMO", "move-why"),
            Slot::Note => ("NOTETX", "remark-body"),
        };
        if variant == Variant::B { b } else { a }
    }
}
