//! Every place of a document where something of one kind stands, with its pointer.

use crate::{
    Action, Artifact, Checkpoint, Condition, Detector, DialogAnswer, ElementQuery, Fingerprint, FrameRef, Place,
    Relation, Remedy, RowKey, Rung, SubflowBody, TableRef, Target, Template, TextMatch, ValueExpr,
};

/// Who a place belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Document,
    Step(usize),
    Outcome,
    Recovery,
    Subflow,
}

/// Which part of its owner a place is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// What is done, and where.
    Action,
    /// What must hold before.
    Before,
    /// What must become true, also for reconciling.
    Proof,
    /// What the action opens.
    Opens,
    /// How answers and nuisances are seen.
    Detector,
    /// Facts of the application.
    Fact,
}

/// What a text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// A name, caption, header or text that is looked for.
    Sought,
    /// A value that is compared; may be empty.
    Value,
    /// What a thing looked like; may be empty.
    Looks,
    /// The name of a window.
    Window,
    /// The name a window gets.
    WindowName,
    /// An address that is gone to.
    Location,
    /// A pattern of an address, or a part of a frame's.
    Pattern,
    /// A screen identifier.
    ScreenId,
}

#[derive(Clone, Debug)]
pub(crate) struct Site<'a, T> {
    pub pointer: String,
    pub owner: Owner,
    pub part: Part,
    pub it: &'a T,
}

#[derive(Default)]
pub(crate) struct Sites<'a> {
    pub templates: Vec<(Site<'a, Template>, Use)>,
    pub values: Vec<Site<'a, ValueExpr>>,
    pub targets: Vec<Site<'a, Target>>,
    /// Every condition, also those inside others.
    pub conditions: Vec<Site<'a, Condition>>,
    pub queries: Vec<Site<'a, ElementQuery>>,
    pub rungs: Vec<Site<'a, Rung>>,
    pub relations: Vec<Site<'a, Relation>>,
    pub tables: Vec<Site<'a, TableRef>>,
    pub frames: Vec<Site<'a, FrameRef>>,
    pub actions: Vec<Site<'a, Action>>,
}

impl<'a> Sites<'a> {
    pub(crate) fn of(artifact: &'a Artifact) -> Self {
        let mut walk = Walk { sites: Sites::default(), owner: Owner::Document, part: Part::Fact };
        walk.document(artifact);
        walk.sites
    }
}

struct Walk<'a> {
    sites: Sites<'a>,
    owner: Owner,
    part: Part,
}

impl<'a> Walk<'a> {
    fn site<T>(&self, pointer: &str, it: &'a T) -> Site<'a, T> {
        Site { pointer: pointer.to_owned(), owner: self.owner, part: self.part, it }
    }

    fn document(&mut self, artifact: &'a Artifact) {
        self.text("/application/entry", &artifact.application.entry, Use::Location);
        if let Some(screen_id) = &artifact.application.screen_id {
            self.place("/application/screen_id/place", &screen_id.place);
        }
        for (i, step) in artifact.steps.iter().enumerate() {
            self.owner = Owner::Step(i);
            let at = format!("/steps/{i}");
            self.action(&format!("{at}/action"), &step.action);
            self.part = Part::Before;
            if let Some(precondition) = &step.precondition {
                self.checkpoint(&format!("{at}/precondition"), precondition);
            }
            self.part = Part::Proof;
            if let Some(checkpoint) = &step.checkpoint {
                self.checkpoint(&format!("{at}/checkpoint"), checkpoint);
            }
            if let Some(reconcile) = &step.reconcile {
                self.condition(&format!("{at}/reconcile/landed"), &reconcile.landed);
                if let Some(not_landed) = &reconcile.not_landed {
                    self.condition(&format!("{at}/reconcile/not_landed"), not_landed);
                }
            }
            self.part = Part::Opens;
            if let Some(window) = &step.opens.window {
                self.text(&format!("{at}/opens/window/name"), &window.name, Use::WindowName);
            }
            for (j, dialog) in step.opens.dialogs.iter().enumerate() {
                let at = format!("{at}/opens/dialogs/{j}");
                self.matching(&format!("{at}/text"), &dialog.text);
                if let DialogAnswer::Text(value) = &dialog.answer {
                    let site = self.site(&format!("{at}/answer/text"), value);
                    self.sites.values.push(site);
                }
            }
        }
        (self.owner, self.part) = (Owner::Document, Part::Proof);
        self.checkpoint("/checkpoint", &artifact.checkpoint);
        (self.owner, self.part) = (Owner::Outcome, Part::Detector);
        for (i, outcome) in artifact.outcomes.iter().enumerate() {
            if let Detector::Condition(condition) = &outcome.detector {
                self.condition(&format!("/outcomes/{i}/detector/condition"), condition);
            }
            if let Some(absent) = outcome.guard.as_ref().and_then(|g| g.absent.as_ref()) {
                self.condition(&format!("/outcomes/{i}/guard/absent"), absent);
            }
        }
        self.owner = Owner::Recovery;
        for (i, recovery) in artifact.recoveries.iter().enumerate() {
            let at = format!("/recoveries/{i}");
            self.part = Part::Detector;
            self.condition(&format!("{at}/when"), &recovery.when);
            match &recovery.remedy {
                Remedy::Act { action, checkpoint } => {
                    self.action(&format!("{at}/remedy/act/action"), action);
                    self.part = Part::Proof;
                    self.checkpoint(&format!("{at}/remedy/act/checkpoint"), checkpoint);
                }
                Remedy::Wait { until, .. } => {
                    self.part = Part::Proof;
                    self.condition(&format!("{at}/remedy/wait/until"), until);
                }
                Remedy::Run { .. } => {}
                Remedy::Answer { dialog } => {
                    let at = format!("{at}/remedy/answer/dialog");
                    self.matching(&format!("{at}/text"), &dialog.text);
                    if let DialogAnswer::Text(value) = &dialog.answer {
                        let site = self.site(&format!("{at}/answer/text"), value);
                        self.sites.values.push(site);
                    }
                }
            }
        }
        (self.owner, self.part) = (Owner::Subflow, Part::Action);
        for (i, subflow) in artifact.subflows.iter().enumerate() {
            if let SubflowBody::Capability { parameters, .. } = &subflow.body {
                for (name, value) in parameters {
                    let site = self.site(&format!("/subflows/{i}/body/capability/parameters/{name}"), value);
                    self.sites.values.push(site);
                }
            }
        }
    }

    fn action(&mut self, at: &str, action: &'a Action) {
        self.part = Part::Action;
        let site = self.site(at, action);
        self.sites.actions.push(site);
        if let Some(target) = action.target() {
            self.target(&format!("{at}/target"), target);
        }
        let value = match action {
            Action::Type { value, .. } => Some(("value", value)),
            Action::Choose { option, .. } => Some(("option", option)),
            Action::SetChecked { checked, .. } => Some(("checked", checked)),
            Action::Upload { file, .. } => Some(("file", file)),
            _ => None,
        };
        if let Some((field, value)) = value {
            let site = self.site(&format!("{at}/{field}"), value);
            self.sites.values.push(site);
        }
        match action {
            Action::ReadTable { columns, except, .. } => {
                for (i, column) in columns.iter().enumerate() {
                    self.text(&format!("{at}/columns/{i}/header"), &column.header, Use::Sought);
                }
                self.keys(&format!("{at}/except"), except);
            }
            Action::WaitFor { condition } => self.condition(&format!("{at}/condition"), condition),
            Action::Open { window, location } => {
                if let Some(window) = window {
                    self.text(&format!("{at}/window"), window, Use::Window);
                }
                self.text(&format!("{at}/location"), location, Use::Location);
            }
            Action::ScrollToLoad { until, .. } => self.condition(&format!("{at}/until"), until),
            _ => {}
        }
    }

    fn target(&mut self, at: &str, target: &'a Target) {
        let site = self.site(at, target);
        self.sites.targets.push(site);
        if let Some(window) = &target.window {
            self.text(&format!("{at}/window"), window, Use::Window);
        }
        self.frames(&format!("{at}/frame"), &target.frame);
        for (i, candidate) in target.candidates.iter().enumerate() {
            self.rung(&format!("{at}/candidates/{i}/find"), &candidate.find);
            for (j, relation) in candidate.within.iter().enumerate() {
                self.relation(&format!("{at}/candidates/{i}/within/{j}"), relation);
            }
            self.looks(&format!("{at}/candidates/{i}/fingerprint"), candidate.fingerprint.as_ref());
        }
        self.looks(&format!("{at}/fingerprint"), target.fingerprint.as_ref());
    }

    fn looks(&mut self, at: &str, fingerprint: Option<&'a Fingerprint>) {
        let Some(fingerprint) = fingerprint else { return };
        self.text(&format!("{at}/name"), &fingerprint.name, Use::Looks);
        if let Some(caption) = &fingerprint.caption {
            self.text(&format!("{at}/caption"), caption, Use::Looks);
        }
    }

    fn rung(&mut self, at: &str, rung: &'a Rung) {
        let site = self.site(at, rung);
        self.sites.rungs.push(site);
        match rung {
            Rung::RoleName { name, .. } | Rung::RoleNameNormalized { name, .. } => {
                self.text(&format!("{at}/name"), name, Use::Sought);
            }
            Rung::Label { label, .. } => self.text(&format!("{at}/label"), label, Use::Sought),
            Rung::Anchor { name, relation, .. } => {
                if let Some(name) = name {
                    self.text(&format!("{at}/name"), name, Use::Sought);
                }
                self.relation(&format!("{at}/relation"), relation);
            }
            Rung::Ordinal { .. } | Rung::NativeHint { .. } | Rung::Vision { .. } => {}
        }
    }

    fn relation(&mut self, at: &str, relation: &'a Relation) {
        let site = self.site(at, relation);
        self.sites.relations.push(site);
        let table = match relation {
            Relation::Region { name, .. } => {
                self.text(&format!("{at}/name"), name, Use::Sought);
                &None
            }
            Relation::Row { keys, table } => {
                self.keys(&format!("{at}/keys"), keys);
                table
            }
            Relation::Column { header, table } => {
                self.text(&format!("{at}/header"), header, Use::Sought);
                table
            }
            Relation::Cell { keys, header, table } => {
                self.keys(&format!("{at}/keys"), keys);
                self.text(&format!("{at}/header"), header, Use::Sought);
                table
            }
            Relation::Adjacent { text, .. } => {
                self.text(&format!("{at}/text"), text, Use::Sought);
                &None
            }
        };
        if let Some(table) = table {
            let site = self.site(&format!("{at}/table"), table);
            self.sites.tables.push(site);
            if let Some(name) = &table.name {
                self.text(&format!("{at}/table/name"), name, Use::Sought);
            }
            for (i, header) in table.headers.iter().enumerate() {
                self.text(&format!("{at}/table/headers/{i}"), header, Use::Sought);
            }
        }
    }

    fn keys(&mut self, at: &str, keys: &'a [RowKey]) {
        for (i, key) in keys.iter().enumerate() {
            if let Some(column) = &key.column {
                self.text(&format!("{at}/{i}/column"), column, Use::Sought);
            }
            self.text(&format!("{at}/{i}/equals"), &key.equals, Use::Value);
        }
    }

    fn frames(&mut self, at: &str, frames: &'a [FrameRef]) {
        for (i, frame) in frames.iter().enumerate() {
            let site = self.site(&format!("{at}/{i}"), frame);
            self.sites.frames.push(site);
            for (field, text) in [("name", &frame.name), ("title", &frame.title), ("location", &frame.location)] {
                if let Some(text) = text {
                    self.text(&format!("{at}/{i}/{field}"), text, Use::Pattern);
                }
            }
        }
    }

    fn place(&mut self, at: &str, place: &'a Place) {
        if let Some(window) = &place.window {
            self.text(&format!("{at}/window"), window, Use::Window);
        }
        self.frames(&format!("{at}/frame"), &place.frame);
    }

    fn checkpoint(&mut self, at: &str, checkpoint: &'a Checkpoint) {
        self.condition(&format!("{at}/condition"), &checkpoint.condition);
    }

    fn matching(&mut self, at: &str, matching: &'a TextMatch) {
        self.text(&format!("{at}/text"), &matching.text, Use::Sought);
    }

    fn condition(&mut self, at: &str, condition: &'a Condition) {
        let site = self.site(at, condition);
        self.sites.conditions.push(site);
        match condition {
            Condition::ElementPresent { element } | Condition::ElementAbsent { element } => {
                self.query(&format!("{at}/element"), element);
            }
            Condition::ElementHasValue { element, value } => {
                self.query(&format!("{at}/element"), element);
                self.text(&format!("{at}/value"), value, Use::Value);
            }
            Condition::ElementHasState { element, .. } => self.query(&format!("{at}/element"), element),
            Condition::TextPresent { place, text }
            | Condition::TextAbsent { place, text }
            | Condition::TitleMatches { place, text } => {
                self.place(&format!("{at}/place"), place);
                self.matching(&format!("{at}/match"), text);
            }
            Condition::LocationMatches { place, pattern } => {
                self.place(&format!("{at}/place"), place);
                self.text(&format!("{at}/pattern"), pattern, Use::Pattern);
            }
            Condition::WindowOpened { name } | Condition::WindowClosed { name } => {
                self.text(&format!("{at}/name"), name, Use::Window);
            }
            Condition::DialogOpened { dialog } => self.matching(&format!("{at}/dialog/text"), &dialog.text),
            Condition::ScreenId { place, equals } => {
                self.place(&format!("{at}/place"), place);
                self.text(&format!("{at}/equals"), equals, Use::ScreenId);
            }
            Condition::All { of } | Condition::Any { of } => {
                for (i, part) in of.iter().enumerate() {
                    self.condition(&format!("{at}/of/{i}"), part);
                }
            }
            Condition::Not { of } => self.condition(&format!("{at}/of"), of),
            Condition::DialogClosed {} | Condition::OutputNotEmpty { .. } => {}
        }
    }

    fn query(&mut self, at: &str, query: &'a ElementQuery) {
        let site = self.site(at, query);
        self.sites.queries.push(site);
        self.place(&format!("{at}/place"), &query.place);
        self.rung(&format!("{at}/find"), &query.find);
        for (i, relation) in query.within.iter().enumerate() {
            self.relation(&format!("{at}/within/{i}"), relation);
        }
    }

    fn text(&mut self, at: &str, text: &'a Template, r#use: Use) {
        let site = self.site(at, text);
        self.sites.templates.push((site, r#use));
    }
}
