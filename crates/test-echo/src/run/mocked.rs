//! Calls a mock of the document by the client.

use std::collections::HashSet;

use dropspec_schema::media_type::{covers, essence};

use super::{Ends, Plan, Run, Target};
use crate::answer::Answer;
use crate::check::Exchange;

impl Run {
    /// Calls an operation on a mock of the document until it gave each of the responses, the usual one without being asked.
    pub(super) async fn call_mock<C>(
        &mut self,
        ends: Ends<'_, C>,
        target: Target<'_, C>,
        plan: Plan<'_>,
    ) {
        let ((index, name, operation), (declared, requests, answers)) = (target, plan);
        let kind = |of: &Answer| (of.variant, of.status, of.media_type.clone());
        let successes = answers.planned.iter().filter(|it| it.status.as_u16() < 400);
        let usual = successes.min_by_key(|it| it.status).map(kind);
        let mut given_kinds = HashSet::new();
        let (mut good, mut bad) = (0, 0);
        for answer in &answers.planned {
            let kind = kind(answer);
            if !given_kinds.insert(kind.clone()) {
                continue;
            }
            let planned = Some(answer).filter(|_| usual != Some(kind));
            for given in requests.iter().take(2) {
                let sent = self.send(ends, target, (declared, given), planned);
                let Some((called, seen)) = sent.await else {
                    continue;
                };
                let mut answer = answer.clone();
                // Unless it is asked for one, a mock chooses a media type of the range that the document declares.
                if planned.is_none()
                    && let (Some(range), Some(sent)) =
                        (answer.declared.media_type, seen.media_type())
                    && covers(&essence(range), &essence(sent))
                {
                    answer.media_type = Some(sent.to_owned());
                }
                let checked = called.and_then(|called| {
                    let exchange = Exchange {
                        operation: index,
                        method: operation.method,
                        declared,
                        variant: &operation.variants[answer.variant],
                        given,
                        answer: &answer,
                        seen: &seen,
                    };
                    self.checker.check_declared(&exchange, &called)
                });
                match checked {
                    Ok(()) => good += 1,
                    Err(problem) => {
                        bad += 1;
                        self.fail(name, format!("the mock: {problem}"));
                    }
                }
            }
        }
        self.report.mocked += usize::from(good > 0 && bad == 0);
    }
}
