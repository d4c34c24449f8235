//! Searches the exchange of a finding. A message belongs to a finding if it is refused because of its edit: undoing the edit
//! ends the refusal, or the refused value is the instance of the finding.

mod around;
mod known;

use std::cell::{LazyCell, RefCell};
use std::collections::HashMap;

use serde_json::{Value, json};

use self::around::Around;
use self::known::{Known, recall};
use super::checker::{Operation, Refusal};
use super::discriminators::describe_discriminators;
use super::drafts::Drafter;
use super::silent::why_silent;
use super::undo::undo;
use super::{Exchange, MessageKind, Proof, Refused, Request, Response};
use crate::checker::Checker;
use crate::finding::{Finding, Side};
use crate::rules::Category;

/// The most operations of a finding that are searched.
const MOST_OPERATIONS: usize = 4;

/// Both documents, in the terms of OpenAPI 3.0.
pub(super) struct Search {
    documents: [Value; 2],
    base: Checker,
    revision: Checker,
    /// The requests that both documents accept, by operation.
    common: RefCell<HashMap<String, Result<Request, String>>>,
    requests: Known<Request>,
    responses: Known<(Request, Response)>,
}

/// An operation that a finding reaches.
struct Place<'s> {
    method: &'s str,
    /// Its path as the base writes it, and as the revision does.
    templates: [&'s str; 2],
    old: Operation<'s>,
    new: Option<Operation<'s>>,
}

impl Search {
    pub(super) fn new(base: Value, revision: Value) -> Search {
        Search {
            base: to_checker(base.clone()),
            revision: to_checker(revision.clone()),
            documents: [base, revision],
            common: RefCell::default(),
            requests: RefCell::default(),
            responses: RefCell::default(),
        }
    }

    pub(super) fn prove(&self, finding: &Finding) -> Proof {
        if finding.id.rule().category != Category::Interface {
            let reason = "no message changes: the rule is about versions and notices";
            return Proof::None(reason.to_owned());
        }
        let [base, revision] = &self.documents;
        let nodes = finding.nodes.as_ref();
        let undone = || nodes.and_then(|nodes| undo(base, revision, nodes));
        let around = Around {
            finding,
            undone: LazyCell::new(Box::new(move || undone().map(to_checker))),
            pinned: self.pin(finding).map(to_checker),
        };
        let mut reason = if finding.reach.is_empty() {
            "the edit belongs to no operation".to_owned()
        } else {
            "no exchange was found that shows it".to_owned()
        };
        let worst = finding.reach.iter().filter(|it| it.level == finding.level);
        for reached in worst.take(MOST_OPERATIONS) {
            match self.prove_at(&around, &reached.operation) {
                Ok(exchange) => return Proof::Exchange(Box::new(exchange)),
                Err(why) => reason = why,
            }
        }
        // Who requires the old property refuses a message without it.
        let mut also = finding.also.iter();
        let is_required = also.any(|it| it.id.as_str().contains("required-property"));
        let known = why_silent(finding.id).filter(|_| !is_required);
        let known = known.map(str::to_owned);
        Proof::None(known.unwrap_or(reason))
    }

    /// The document that accepts the instance, with a schema that accepts nothing else.
    fn pin(&self, finding: &Finding) -> Option<Value> {
        let instance = finding.instance.as_ref()?;
        let side = usize::from(instance.accepted_by == Side::Revision);
        let mut document = self.documents[side].clone();
        *document.pointer_mut(&instance.nodes[side])? = json!({ "enum": [instance.value] });
        Some(document)
    }

    fn prove_at(&self, around: &Around<'_>, label: &str) -> Result<Exchange, String> {
        let (method, template) = label.split_once(' ').unwrap_or((label, ""));
        let old = self.base.operation(method, template);
        let old = old.ok_or_else(|| format!("`{label}` is not sent to the server"))?;
        let new = self.revision.operation(method, template);
        let checkers = [&self.base, &self.revision];
        let place = Place {
            method,
            templates: checkers.map(|it| it.template(template).unwrap_or(template)),
            old,
            new,
        };
        match new {
            Some(new) if around.finding.id.as_str().contains("response-") => {
                self.refuse_response(around, &place, new)
            }
            _ => self.refuse_request(around, &place),
        }
    }

    fn refuse_request(&self, around: &Around<'_>, place: &Place<'_>) -> Result<Exchange, String> {
        let (method, template) = (place.method, place.templates[0]);
        let judge = |request: &Request| {
            let is_valid = self.base.check_request(request).is_empty();
            let refusals = is_valid.then(|| self.revision.check_request(request));
            refusals.unwrap_or_default()
        };
        let choose = |drafts: Vec<Request>| {
            let refused = drafts.into_iter().filter_map(|request| {
                let refusals = recall(&self.requests, &request, judge);
                refusals.first()?;
                let undone = around.undone.as_ref().map(|it| it.check_request(&request));
                let is_gone =
                    |refusal: &&Refusal| undone.as_ref().is_some_and(|it| !it.contains(refusal));
                let gone = refusals.iter().find(is_gone);
                let own = gone.or_else(|| refusals.iter().find(|it| around.has_instance(it)))?;
                let length = request.target.len() + request.body.as_deref().map_or(0, str::len);
                let rank = (gone.is_none(), refusals.len(), length);
                Some((rank, request, own.clone()))
            });
            refused.min_by_key(|(rank, ..)| *rank)
        };
        let pinned = around.pinned_drafter(method, template);
        let pinned = pinned.and_then(|drafter| drafter.requests(method, template).ok());
        let mut best = pinned.and_then(choose);
        // The instance is shown, unless it is refused for something else, too.
        if best.as_ref().is_none_or(|((is_left, ..), ..)| *is_left) {
            let other = place.new.map(|new| (&self.revision, new));
            let others = drafter(&self.base, place.old, other).requests(method, template)?;
            best = best
                .into_iter()
                .chain(choose(others))
                .min_by_key(|(rank, ..)| *rank);
        }
        let (_, request, refusal) = best.ok_or(
            "the search tries samples, and none of these requests is refused because of this edit",
        )?;
        let answers = |it: &Response| self.base.check_response(&request, it).is_empty();
        let mut responses = self::drafter(&self.base, place.old, None)
            .responses()
            .into_iter();
        let response = responses.find(answers);
        let response = response.ok_or("no response of the base can be printed")?;
        Ok(exchange(request, response, refusal, Side::Revision))
    }

    fn refuse_response(
        &self,
        around: &Around<'_>,
        place: &Place<'_>,
        new: Operation<'_>,
    ) -> Result<Exchange, String> {
        let request = self.find_common_request(place, new)?;
        let judge = |(request, response): &(Request, Response)| {
            let is_valid = self.revision.check_response(request, response).is_empty();
            let refusals = is_valid.then(|| self.base.check_response(request, response));
            refusals.unwrap_or_default()
        };
        let choose = |drafts: Vec<Response>| {
            let refused = drafts.into_iter().filter_map(|response| {
                let exchange = (request.clone(), response);
                let refusals = recall(&self.responses, &exchange, judge);
                refusals.first()?;
                let response = exchange.1;
                let undone = around.undone.as_ref();
                let undone = undone.map(|it| it.check_response(&request, &response));
                let undone = undone.unwrap_or_default();
                // Rather what the edit alone makes wrong.
                let own = refusals.iter().find(|it| undone.contains(it));
                let own = own.or_else(|| {
                    let is_shown = |it: &&Refusal| around.shows(it, place, &response);
                    let is_there = |it: &&Refusal| undone.iter().any(|own| own.place == it.place);
                    refusals.iter().find(|it| is_there(it) || is_shown(it))
                })?;
                let others = refusals.iter().filter(|it| !undone.contains(it)).count();
                let length = response.body.as_deref().map_or(0, str::len);
                let rank = (undone.is_empty(), others, length);
                Some((rank, response, own.clone()))
            });
            refused.min_by_key(|(rank, ..)| *rank)
        };
        let pinned = around.pinned_drafter(place.method, place.templates[0]);
        let mut best = pinned.and_then(|drafter| choose(drafter.responses()));
        if best
            .as_ref()
            .is_none_or(|((is_possible, others, _), ..)| *is_possible || *others > 0)
        {
            let others = drafter(&self.revision, new, Some((&self.base, place.old)));
            let others = choose(others.responses());
            best = best
                .into_iter()
                .chain(others)
                .min_by_key(|(rank, ..)| *rank);
        }
        let (_, response, refusal) = best.ok_or(
            "the search tries samples, and none of these responses became possible by this edit",
        )?;
        Ok(exchange(request, response, refusal, Side::Base))
    }

    /// A request that both documents accept.
    fn find_common_request(
        &self,
        place: &Place<'_>,
        new: Operation<'_>,
    ) -> Result<Request, String> {
        let [base, revision] = place.templates;
        let label = format!("{} {base}", place.method);
        if let Some(known) = self.common.borrow().get(&label) {
            return known.clone();
        }
        let of_base = drafter(&self.base, place.old, Some((&self.revision, new)));
        let of_base = of_base.requests(place.method, base)?;
        let of_revision = drafter(&self.revision, new, None).requests(place.method, revision)?;
        let mut drafts = of_base.into_iter().chain(of_revision);
        let found = drafts.find(|it| {
            self.base.check_request(it).is_empty() && self.revision.check_request(it).is_empty()
        });
        let found = found.ok_or_else(|| {
            "the search tries samples, and none of these requests is accepted by both documents"
                .to_owned()
        });
        self.common.borrow_mut().insert(label, found.clone());
        found
    }
}

fn to_checker(document: Value) -> Checker {
    Checker::new(describe_discriminators(document))
}

fn drafter<'d>(
    checker: &'d Checker,
    operation: Operation<'d>,
    other: Option<(&'d Checker, Operation<'d>)>,
) -> Drafter<'d> {
    Drafter {
        checker,
        operation,
        other,
    }
}

fn exchange(request: Request, response: Response, refusal: Refusal, by: Side) -> Exchange {
    let message = match by {
        Side::Base => MessageKind::Response,
        Side::Revision => MessageKind::Request,
    };
    Exchange {
        request,
        response,
        refused: Refused {
            by,
            message,
            place: refusal.place,
            reason: refusal.reason,
        },
    }
}
