from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from typing import Callable, Mapping, Union

from ._errors import InvalidWebhook
from ._generated.types import Event

TOLERANCE = 300.0


def verify_webhook(
    body: Union[bytes, str],
    headers: Mapping[str, str],
    secret: str,
    tolerance: float = TOLERANCE,
    *,
    now: Callable[[], float] = time.time,
) -> Event:
    """The event that Akimbo has sent. Pass the body as it came, before any parser.

    :param tolerance: seconds that the signature may be old
    :raises InvalidWebhook: for a request that is not from Akimbo, or was recorded before
    """
    lower = {name.lower(): value for name, value in headers.items()}
    timestamp = lower.get("x-webhook-timestamp", "")
    signature = lower.get("x-webhook-signature", "")
    if not re.fullmatch("[0-9]{1,11}", timestamp):
        raise InvalidWebhook("X-Webhook-Timestamp is missing, or not a number of seconds.")
    text = body.encode() if isinstance(body, str) else body
    signed = timestamp.encode() + b"." + text
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), signature.lower().encode()):
        raise InvalidWebhook("X-Webhook-Signature does not fit the body and the secret.")
    if abs(now() - int(timestamp)) > tolerance:
        raise InvalidWebhook(
            f"The signature is more than {tolerance:g} seconds old, or of the future."
        )
    event: Event = json.loads(text)
    return event
