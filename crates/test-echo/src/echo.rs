//! The state of the server: what it must answer next, and what it has seen.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dropshot::HttpError;
use dropspec_runtime::{Decoder, Routes};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};

use crate::answer::Answer;
use crate::arrived::Arrived;
use crate::mock::Mock;

/// The state of a server, which the implementation of the trait reaches as its context.
pub struct Echo {
    pub(crate) routes: Routes,
    pub(crate) decoder: Decoder,
    /// Who answers in place of the implementation.
    pub(crate) mock: Option<Mock>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    answers: VecDeque<Answer>,
    arrived: Option<Arrived>,
    problem: Option<String>,
    seen: Vec<Seen>,
}

/// A request and its response, as the server saw them.
pub(crate) struct Seen {
    /// The position of the operation; `None` if no route was found.
    pub(crate) operation: Option<usize>,
    /// The body of the request.
    pub(crate) request: Vec<u8>,
    /// What the method got; `None` if no method was called.
    pub(crate) arrived: Option<Arrived>,
    /// Why the request was refused, or the method could not answer as planned.
    pub(crate) problem: Option<String>,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// The body of the response.
    pub(crate) response: Vec<u8>,
}

impl Seen {
    /// The media type of the response.
    pub(crate) fn media_type(&self) -> Option<&str> {
        self.headers.get(CONTENT_TYPE)?.to_str().ok()
    }
}

impl Echo {
    pub(crate) fn new(routes: Routes, decoder: Decoder, mock: Option<Mock>) -> Echo {
        Echo {
            routes,
            decoder,
            mock,
            state: Mutex::default(),
        }
    }

    /// Takes the next planned answer.
    pub(crate) fn take_planned(&self) -> Option<Answer> {
        self.state().answers.pop_front()
    }

    /// Records what arrived, and makes the answer that is planned.
    pub fn answer<R, E: From<HttpError>>(
        &self,
        arrived: Arrived,
        make: impl FnOnce(&Answer) -> Result<Result<R, E>, String>,
    ) -> Result<R, E> {
        let mut state = self.state();
        state.arrived = Some(arrived);
        let made = match state.answers.pop_front() {
            Some(answer) => make(&answer),
            None => Err("the server was called more often than planned".to_owned()),
        };
        made.unwrap_or_else(|problem| {
            state.problem = Some(problem.clone());
            Err(HttpError::for_internal_error(problem).into())
        })
    }

    /// Records what arrived until an argument could not be decoded, so that the test fails, and returns the rejection.
    pub fn fail_on_unreadable_argument<R, E: From<HttpError>>(
        &self,
        arrived: Arrived,
        rejection: impl Into<HttpError>,
    ) -> Result<R, E> {
        let rejection = rejection.into();
        let mut state = self.state();
        state.arrived = Some(arrived);
        state.problem = Some(format!("an argument cannot be read: {rejection}"));
        Err(rejection.into())
    }

    /// Plans the next answers, and forgets what was seen.
    pub(crate) fn plan(&self, answers: impl IntoIterator<Item = Answer>) {
        *self.state() = State {
            answers: answers.into_iter().collect(),
            ..State::default()
        };
    }

    /// What was seen since the last plan.
    pub(crate) fn take_seen(&self) -> Vec<Seen> {
        std::mem::take(&mut self.state().seen)
    }

    /// Records a request and its response.
    pub(crate) fn record(&self, seen: Seen) {
        let mut state = self.state();
        let (arrived, problem) = (state.arrived.take(), state.problem.take());
        state.seen.push(Seen {
            arrived,
            problem: problem.or(seen.problem),
            ..seen
        });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
