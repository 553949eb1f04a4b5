"""Client of Akimbo, a social publishing API that you host yourself."""

from ._async_client import AsyncAkimbo
from ._client import Akimbo
from ._errors import AkimboError, FieldError, InvalidWebhook, WaitTimeout
from ._storage import StoredFile
from ._webhooks import verify_webhook

__all__ = [
    "Akimbo",
    "AkimboError",
    "AsyncAkimbo",
    "FieldError",
    "InvalidWebhook",
    "StoredFile",
    "WaitTimeout",
    "verify_webhook",
]
