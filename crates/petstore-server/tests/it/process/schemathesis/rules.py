"""What is told to Schemathesis of the petstore, as no document can say it."""

import itertools
from ipaddress import IPv4Address

import schemathesis

FIRST_ADDRESS = int(IPv4Address("10.0.0.1"))
numbers = itertools.count()

# The codes that the document declares for rules of the store.
RULES = {"unknown_category", "unknown_pet", "idempotency_key_reused"}

# Members of an order that are the store's to give, that one operation needs and the other does not, or that lie
# outside of what can be written in UTC.
PLACES = {"/id", "/petId", "/complete", "/shipDate"}


def is_valid(case):
    """Whether the schema allows the request."""
    return case.meta is not None and case.meta.generation.mode.is_positive


@schemathesis.hook
def before_call(_context, case, _kwargs):
    if not is_valid(case):
        return
    number = next(numbers)
    # `ignored_auth` sends a request again without its key. Who shows no key is limited by the address, to 60 a minute
    # on the free plan's terms, and answered 429 past that. So each comes from an address of its own.
    case.headers["X-Forwarded-For"] = str(IPv4Address(FIRST_ADDRESS + number))
    # `ensure_resource_availability` takes every 201 for something new. A key that came before replays the answer of
    # then, and what it made may have been deleted since. Replays are for the tests of idempotency.
    if case.meta.phase.name.value == "stateful" and "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = str(number)


@schemathesis.check
def refused_by_a_rule(_context, response, case):
    """Who sends what the schema allows is refused with 422 by a rule of the store, or not at all."""
    if response.status_code != 422 or not is_valid(case):
        return
    error = response.json()
    if error["code"] in RULES:
        return
    place, _, _ = error["message"].partition(": ")
    if "/store/orders" in case.operation.path and error["code"] == "validation_failed" and place in PLACES:
        return
    raise AssertionError(f"the schema allows this, and no rule of the store forbids it: {error}")
