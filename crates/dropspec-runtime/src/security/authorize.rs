//! Decides whether a request may call an operation, by the identities that the service verifies.

use std::fmt;
use std::marker::PhantomData;

use http::HeaderMap;

use super::credentials;
use super::identities::Identities;
use super::verify::{Denial, Permit, Verify};
use super::{SchemeUse, SecuritySchemeInfo};
use crate::Interface;

/// The result of the check of a request.
#[derive(Debug)]
pub struct Authorization<P, T, R> {
    /// The identities that satisfy the operation, in the order of its requirement. None if the request is anonymous. If
    /// scopes are missing, the identity that lacks them.
    pub identities: Identities<T>,
    /// The permit, or why there is none.
    pub outcome: Result<P, Denial<R>>,
}

/// Checks requests by the security of the interface `I`.
pub struct Security<I> {
    /// Each scheme that an operation uses, alone and without scopes.
    any: Vec<[SchemeUse; 1]>,
    /// Whether there is an operation that is not public.
    requires_identity: bool,
    interface: PhantomData<fn() -> I>,
}

impl<I: Interface> Security<I> {
    /// Reads the security of the interface.
    pub fn new() -> Self {
        let operations = I::operations();
        let uses = |scheme| {
            let alternatives = operations.iter().flat_map(|it| it.security);
            alternatives
                .copied()
                .flatten()
                .any(|it| it.scheme == scheme)
        };
        let schemes = (0..I::security_schemes().len()).filter(|scheme| uses(*scheme));
        Self {
            any: schemes
                .map(|scheme| [SchemeUse::new(scheme, &[])])
                .collect(),
            requires_identity: operations.iter().any(|it| !it.is_public()),
            interface: PhantomData,
        }
    }

    /// The indexes of the schemes that operations use, in the order of the document.
    pub fn schemes(&self) -> impl Iterator<Item = usize> {
        self.any.iter().map(|[only]| only.scheme)
    }

    /// Whether an operation is not public.
    pub fn requires_identity(&self) -> bool {
        self.requires_identity
    }

    /// Checks whether a request, by its headers and its query, may call the operation with this index.
    ///
    /// The first alternative that is satisfied counts. A public operation also permits requests without valid credentials:
    /// then they are anonymous. If it names no scheme, credentials of any scheme identify the sender.
    ///
    /// # Errors
    ///
    /// Those of the hook.
    ///
    /// # Panics
    ///
    /// If `operation` is not an index of [`Interface::operations`].
    pub async fn authorize<V: Verify>(
        &self,
        operation: usize,
        headers: &HeaderMap,
        query: Option<&str>,
        hook: &V,
    ) -> Result<Authorization<Permit<I>, V::Identity, V::Refusal>, V::Failure> {
        let info = &I::operations()[operation];
        let request = Request::<V>::of::<I>(headers, query, hook);
        let mut checked = if info.security.iter().all(|schemes| schemes.is_empty()) {
            request.check(&self.any).await?
        } else {
            request.check(info.security).await?
        };
        if checked.outcome.is_err() && info.is_public() {
            checked = Authorization {
                identities: Identities::default(),
                outcome: Ok(()),
            };
        }
        let permit = Permit {
            operation,
            interface: PhantomData,
        };
        Ok(Authorization {
            identities: checked.identities,
            outcome: checked.outcome.map(|()| permit),
        })
    }

    /// Finds the sender of a request that has no operation, by credentials of any scheme. If all operations are public, a
    /// request without valid credentials is anonymous.
    ///
    /// # Errors
    ///
    /// Those of the hook.
    pub async fn identify<V: Verify>(
        &self,
        headers: &HeaderMap,
        query: Option<&str>,
        hook: &V,
    ) -> Result<Authorization<(), V::Identity, V::Refusal>, V::Failure> {
        let request = Request::<V>::of::<I>(headers, query, hook);
        let mut checked = request.check(&self.any).await?;
        if !self.requires_identity {
            checked.outcome = Ok(());
        }
        Ok(checked)
    }
}

/// A request that is checked.
struct Request<'r, V> {
    schemes: &'static [SecuritySchemeInfo],
    headers: &'r HeaderMap,
    query: Option<&'r str>,
    hook: &'r V,
}

/// What is known of the credentials of a request.
struct Findings<T, R> {
    verified: Identities<T>,
    /// The schemes whose credentials are missing or not valid.
    failed: Vec<usize>,
    /// The most specific reason so far.
    denial: Denial<R>,
    /// The identity that lacks scopes.
    lacking: Option<usize>,
}

impl<'r, V: Verify> Request<'r, V> {
    fn of<I: Interface>(headers: &'r HeaderMap, query: Option<&'r str>, hook: &'r V) -> Self {
        Self {
            schemes: I::security_schemes(),
            headers,
            query,
            hook,
        }
    }

    /// Finds the first alternative that names schemes and is satisfied, with its identities.
    async fn check(
        &self,
        alternatives: &[impl AsRef<[SchemeUse]> + Sync],
    ) -> Result<Authorization<(), V::Identity, V::Refusal>, V::Failure> {
        let mut findings = Findings {
            verified: Identities::default(),
            failed: Vec::new(),
            denial: Denial::Missing,
            lacking: None,
        };
        for alternative in alternatives {
            let uses = alternative.as_ref();
            if !uses.is_empty() && self.satisfies(uses, &mut findings).await? {
                return Ok(Authorization {
                    identities: findings.verified.retain(uses),
                    outcome: Ok(()),
                });
            }
        }
        let lacking = findings.lacking.map(|scheme| SchemeUse::new(scheme, &[]));
        Ok(Authorization {
            identities: findings.verified.retain(lacking.as_slice()),
            outcome: Err(findings.denial),
        })
    }

    async fn satisfies(
        &self,
        uses: &[SchemeUse],
        findings: &mut Findings<V::Identity, V::Refusal>,
    ) -> Result<bool, V::Failure> {
        for wanted in uses {
            if findings.failed.contains(&wanted.scheme) {
                return Ok(false);
            }
            if findings.verified.get(wanted.scheme).is_none() {
                match self.verify(wanted.scheme).await? {
                    Ok(identity) => findings.verified.push(wanted.scheme, identity),
                    Err(denial) => {
                        findings.failed.push(wanted.scheme);
                        findings.note(denial);
                        return Ok(false);
                    }
                }
            }
        }
        // Only now, as an identity without scopes is no better than none while another scheme fails.
        for wanted in uses {
            let identity = findings.verified.get(wanted.scheme);
            let has = |scope: &&str| identity.is_some_and(|it| self.hook.has_scope(it, scope));
            if !wanted.scopes.iter().all(has) {
                findings.note(Denial::InsufficientScope(wanted.scopes));
                findings.lacking.get_or_insert(wanted.scheme);
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn verify(
        &self,
        scheme: usize,
    ) -> Result<Result<V::Identity, Denial<V::Refusal>>, V::Failure> {
        match credentials::read(self.schemes[scheme].kind, self.headers, self.query) {
            Err(_) => Ok(Err(Denial::Malformed)),
            Ok(None) => Ok(Err(Denial::Missing)),
            Ok(Some(credentials)) => {
                let verified = self.hook.verify(scheme, credentials).await?;
                Ok(verified.map_err(Denial::Refused))
            }
        }
    }
}

impl<T, R> Findings<T, R> {
    /// Keeps the reason that says most; of equals, the first.
    fn note(&mut self, denial: Denial<R>) {
        if denial.rank() > self.denial.rank() {
            self.denial = denial;
        }
    }
}

impl<I: Interface> Default for Security<I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I> fmt::Debug for Security<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Security").field(&self.any).finish()
    }
}
