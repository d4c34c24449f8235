"""Checks and request changes that depend on rules of the petstore that no document can express."""

import itertools
from ipaddress import IPv4Address

import schemathesis

FIRST_ADDRESS = int(IPv4Address("10.0.0.1"))
numbers = itertools.count()

# The codes that the document declares for rules of the store.
RULES = {"unknown_category", "unknown_pet", "idempotency_key_reused"}

# Properties of an order that the store assigns, that only one of the operations requires, or whose value has no
# representation in UTC.
PROPERTIES = {"/id", "/petId", "/complete", "/shipDate"}


def is_valid(case):
    """Whether the request is valid by its schema."""
    return case.meta is not None and case.meta.generation.mode.is_positive


@schemathesis.hook
def before_call(_context, case, _kwargs):
    if not is_valid(case):
        return
    number = next(numbers)
    # `ignored_auth` repeats a request without its key. An address may send 60 such requests a minute, and gets 429 for
    # others. So each request has an address of its own.
    case.headers["X-Forwarded-For"] = str(IPv4Address(FIRST_ADDRESS + number))
    # `ensure_resource_availability` expects every 201 to create a record. A repeated idempotency key replays an earlier
    # response, and its record may have been deleted. Other tests cover replays.
    if case.meta.phase.name.value == "stateful" and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = str(number)


@schemathesis.check
def rejected_by_a_rule(_context, response, case):
    """A valid request gets 422 only by a rule of the store, and 412 only by its `If-Match`."""
    assert response.status_code != 412 or "If-Match" in case.headers
    if response.status_code != 422 or not is_valid(case):
        return
    error = response.json()
    if error["code"] in RULES:
        return
    pointer, _, _ = error["message"].partition(": ")
    if "/store/orders" in case.operation.path and error["code"] == "validation_failed" and pointer in PROPERTIES:
        return
    raise AssertionError(f"the request is valid by its schema, and no rule of the store rejects it: {error}")
