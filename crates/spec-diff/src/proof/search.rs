//! Searches the exchange of a finding. A message belongs to a finding if it is refused because of its edit: undoing the edit
//! ends the refusal, or the refused value is the instance of the finding.

use serde_json::{Value, json};

use super::checker::{Checker, Operation, Refusal, RefusalKind};
use super::drafts::Drafter;
use super::reasons::{changes_no_message, why_silent};
use super::undo::undo;
use super::{Exchange, MessageKind, Proof, Refused, Request, Response};
use crate::finding::{Finding, Side};

/// The most operations of a finding that are searched.
const MOST_OPERATIONS: usize = 4;

/// Both documents, in the terms of OpenAPI 3.0.
pub(super) struct Search {
    base: Checker,
    revision: Checker,
}

/// The documents around one finding.
struct Around<'f> {
    finding: &'f Finding,
    /// The revision without the edit.
    undone: Option<Checker>,
    /// The document that accepts the instance, with no other value at its schema.
    pinned: Option<Checker>,
}

impl Search {
    pub(super) fn new(base: Value, revision: Value) -> Search {
        Search {
            base: Checker::new(base),
            revision: Checker::new(revision),
        }
    }

    pub(super) fn prove(&mut self, finding: &Finding) -> Proof {
        if changes_no_message(finding.id) {
            let reason = "no message changes: the rule is about versions and notices";
            return Proof::None(reason.to_owned());
        }
        let (base, revision) = (self.base.document(), self.revision.document());
        let nodes = finding.nodes.as_ref();
        let undone = nodes.and_then(|nodes| undo(base, revision, nodes));
        let around = Around {
            finding,
            undone: undone.map(Checker::new),
            pinned: self.pin(finding).map(Checker::new),
        };
        let worst = finding.reach.iter().filter(|it| it.level == finding.level);
        let mut reason = if finding.reach.is_empty() {
            "the edit belongs to no operation".to_owned()
        } else {
            "no exchange was found that shows it".to_owned()
        };
        for reached in worst.take(MOST_OPERATIONS) {
            match self.prove_at(&around, &reached.operation) {
                Ok(exchange) => return Proof::Exchange(Box::new(exchange)),
                Err(why) => reason = why,
            }
        }
        let known = why_silent(finding.id).map(str::to_owned);
        Proof::None(known.unwrap_or(reason))
    }

    /// The document that accepts the instance, with a schema that accepts nothing else.
    fn pin(&self, finding: &Finding) -> Option<Value> {
        let instance = finding.instance.as_ref()?;
        let [base, revision] = &instance.nodes;
        let (checker, pointer) = match instance.accepted_by {
            Side::Base => (&self.base, base),
            Side::Revision => (&self.revision, revision),
        };
        let mut document = checker.document().clone();
        *document.pointer_mut(pointer)? = json!({ "enum": [instance.value] });
        Some(document)
    }

    fn prove_at(&self, around: &Around<'_>, label: &str) -> Result<Exchange, String> {
        let (method, template) = label.split_once(' ').unwrap_or((label, ""));
        let old = self.base.operation(method, template);
        let new = self.revision.operation(method, template);
        let Some(old) = old else {
            return Err(format!("`{label}` is not sent to the server"));
        };
        let is_response = around.finding.id.as_str().contains("response-");
        match new {
            Some(new) if is_response => self.refuse_response(around, label, old, new),
            _ => self.refuse_request(around, label, old, new),
        }
    }

    fn refuse_request(
        &self,
        around: &Around<'_>,
        label: &str,
        old: Operation<'_>,
        new: Option<Operation<'_>>,
    ) -> Result<Exchange, String> {
        let (method, template) = label.split_once(' ').unwrap_or((label, ""));
        let template = template_in(&self.base, template);
        let other = new.map(|new| (&self.revision, new));
        let drafter = Drafter {
            checker: &self.base,
            operation: old,
            other,
        };
        let mut drafts = drafter.requests(method, &template)?;
        if let Some(drafter) = around.pinned_drafter(method, &template) {
            let pinned = drafter.requests(method, &template);
            drafts.splice(0..0, pinned.unwrap_or_default());
        }
        let mut best: Option<(Request, Refusal)> = None;
        for request in drafts {
            if !self.base.check_request(&request).is_empty() {
                continue;
            }
            let refusals = self.revision.check_request(&request);
            if refusals.is_empty() {
                continue;
            }
            let undone = around.undone.as_ref();
            let undone = undone.map(|undone| undone.check_request(&request));
            let gone = |refusal: &&Refusal| match &undone {
                Some(undone) => !undone.contains(refusal),
                None => false,
            };
            let own = refusals.iter().find(gone);
            let own = own.or_else(|| refusals.iter().find(|it| around.has_instance(it)));
            let is_better = best
                .as_ref()
                .is_none_or(|(best, _)| length(&request) < length(best));
            if let Some(own) = own.filter(|_| is_better) {
                best = Some((request, own.clone()));
            }
        }
        let (request, refusal) = best.ok_or("no request was found that only the base accepts")?;
        let drafter = Drafter {
            checker: &self.base,
            operation: old,
            other: None,
        };
        let answers = |it: &Response| self.base.check_response(&request, it).is_empty();
        let response = drafter.responses().into_iter().find(answers);
        let response = response.ok_or("no response of the base can be printed")?;
        let refused = Refused {
            by: Side::Revision,
            message: MessageKind::Request,
            place: refusal.place,
            reason: refusal.reason,
        };
        Ok(Exchange {
            request,
            response,
            refused,
        })
    }

    fn refuse_response(
        &self,
        around: &Around<'_>,
        label: &str,
        old: Operation<'_>,
        new: Operation<'_>,
    ) -> Result<Exchange, String> {
        let (method, template) = label.split_once(' ').unwrap_or((label, ""));
        let template = template_in(&self.base, template);
        let request = self.find_common_request(method, &template, old, new)?;
        let other = Some((&self.base, old));
        let drafter = Drafter {
            checker: &self.revision,
            operation: new,
            other,
        };
        let mut drafts = drafter.responses();
        if let Some(drafter) = around.pinned_drafter(method, &template) {
            drafts.splice(0..0, drafter.responses());
        }
        let mut best: Option<(Response, Refusal)> = None;
        for response in drafts {
            if !self.revision.check_response(&request, &response).is_empty() {
                continue;
            }
            let refusals = self.base.check_response(&request, &response);
            let undone = around.undone.as_ref();
            let is_new =
                undone.is_some_and(|it| !it.check_response(&request, &response).is_empty());
            let own = refusals.iter().find(|it| is_new || around.shows(it));
            let is_better = best
                .as_ref()
                .is_none_or(|(best, _)| size(&response) < size(best));
            if let Some(own) = own.filter(|_| is_better) {
                best = Some((response, own.clone()));
            }
        }
        let (response, refusal) =
            best.ok_or("no response was found that only the revision allows")?;
        let refused = Refused {
            by: Side::Base,
            message: MessageKind::Response,
            place: refusal.place,
            reason: refusal.reason,
        };
        Ok(Exchange {
            request,
            response,
            refused,
        })
    }

    /// A request that both documents accept.
    fn find_common_request(
        &self,
        method: &str,
        template: &str,
        old: Operation<'_>,
        new: Operation<'_>,
    ) -> Result<Request, String> {
        let of_base = Drafter {
            checker: &self.base,
            operation: old,
            other: None,
        };
        let of_revision = Drafter {
            checker: &self.revision,
            operation: new,
            other: None,
        };
        let renamed = template_in(&self.revision, template);
        let drafts = of_base.requests(method, template)?.into_iter();
        let drafts = drafts.chain(of_revision.requests(method, &renamed)?);
        let is_common = |it: &Request| {
            self.base.check_request(it).is_empty() && self.revision.check_request(it).is_empty()
        };
        let mut common = drafts.filter(is_common);
        common
            .next()
            .ok_or_else(|| "no request was found that both documents accept".to_owned())
    }
}

impl Around<'_> {
    /// Writes messages that hold the instance, if that is known.
    fn pinned_drafter(&self, method: &str, template: &str) -> Option<Drafter<'_>> {
        let checker = self.pinned.as_ref()?;
        Some(Drafter {
            checker,
            operation: checker.operation(method, template)?,
            other: None,
        })
    }

    /// Whether the refused value, or one around it, is the instance.
    fn has_instance(&self, refusal: &Refusal) -> bool {
        let instance = self.finding.instance.as_ref();
        instance.is_some_and(|instance| refusal.values.contains(&instance.value))
    }

    /// Whether a refused response shows what the rule says.
    fn shows(&self, refusal: &Refusal) -> bool {
        let id = self.finding.id.as_str();
        match refusal.kind {
            RefusalKind::Status => id == "response-success-status-removed",
            RefusalKind::MediaType => id.starts_with("response-media-type-"),
            RefusalKind::Content => self.has_instance(refusal),
        }
    }
}

/// The template as a document writes it, with its names of parameters.
fn template_in(checker: &Checker, template: &str) -> String {
    checker.template(template).unwrap_or(template).to_owned()
}

fn length(request: &Request) -> usize {
    request.target.len() + request.body.as_deref().map_or(0, str::len)
}

fn size(response: &Response) -> usize {
    response.body.as_deref().map_or(0, str::len)
}
