from __future__ import annotations

import re
from typing import Any, List, Mapping, Optional

import httpx
from typing_extensions import TypedDict

SHOWN_CHARACTERS = 200


class FieldError(TypedDict):
    field: str
    message: str


class AkimboError(Exception):
    """A call that was refused, or that got no answer (``status`` is None)."""

    def __init__(
        self,
        message: str,
        *,
        status: Optional[int] = None,
        code: Optional[str] = None,
        fields: Optional[List[FieldError]] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
        body: Any = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        """A word for programs, such as ``NOT_FOUND``."""
        self.fields: List[FieldError] = fields or []
        """Every refused field of the call."""
        self.request_id = request_id
        self.retry_after = retry_after
        """Seconds after which the call may succeed, where the API says so."""
        self.body = body
        """The whole answer, with what else it says, such as ``violations``."""


class WaitTimeout(AkimboError):
    """A post has not ended in time. It goes on at the instance."""

    def __init__(self, message: str, upload: Any) -> None:
        super().__init__(message)
        self.upload = upload
        """The post as it was read last."""


class InvalidWebhook(AkimboError):
    """A request that Akimbo has not signed with this secret, or that is too old."""


def read_retry_after(headers: Mapping[str, str]) -> Optional[float]:
    value = headers.get("retry-after", "")
    return float(value) if re.fullmatch("[0-9]{1,6}", value) else None


def to_error(response: httpx.Response) -> AkimboError:
    body = _read_json(response)
    errors: List[Any] = body.get("errors") or []
    fields: List[FieldError] = [one for one in errors if "field" in one]
    message = "; ".join(one["message"] for one in fields) or body.get("error")
    return AkimboError(
        f"{response.status_code}: {message or _read_text(response)}",
        status=response.status_code,
        code=body.get("code"),
        fields=fields,
        request_id=response.headers.get("x-request-id"),
        retry_after=read_retry_after(response.headers),
        body=body or response.text,
    )


def to_connection_error(error: httpx.TransportError) -> AkimboError:
    origin = f"{error.request.url.scheme}://{error.request.url.netloc.decode()}"
    failure = AkimboError(f"{origin} cannot be reached: {error or type(error).__name__}")
    failure.__cause__ = error
    return failure


def _read_json(response: httpx.Response) -> Any:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _read_text(response: httpx.Response) -> str:
    """Storage says in XML what it refuses; a proxy may answer a page."""
    message = re.search("<Message>([^<]*)</Message>", response.text)
    return message[1] if message else f"unexpected answer: {response.text[:SHOWN_CHARACTERS]}"
