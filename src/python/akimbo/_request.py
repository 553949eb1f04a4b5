from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Dict, List, Mapping, Optional, Tuple, TypeVar
from urllib.parse import quote, urlsplit

import httpx

from ._errors import AkimboError
from ._operation import NOTHING, Operation
from ._values import FormPart, to_form, to_json, to_text

T = TypeVar("T")

try:
    USER_AGENT = f"akimbo-python/{version('akimbo-client')}"
except PackageNotFoundError:
    USER_AGENT = "akimbo-python"


@dataclass(frozen=True)
class Prepared:
    """A request that may be sent several times."""

    method: str
    url: str
    is_repeatable: bool
    """Whether a second sending does nothing twice."""
    headers: Dict[str, str] = field(default_factory=dict)
    params: Dict[str, str] = field(default_factory=dict)
    content: Optional[bytes] = None
    form: Optional[List[FormPart]] = None

    def arguments(self) -> Dict[str, Any]:
        return {
            "method": self.method,
            "url": self.url,
            "headers": self.headers,
            "params": self.params or None,
            "content": self.content,
            "files": self.form,
        }


@dataclass(frozen=True)
class Connection:
    url: str
    token: str
    team_id: Optional[int] = None

    def __post_init__(self) -> None:
        if urlsplit(self.url).scheme not in ("http", "https"):
            raise ValueError(f"url: {self.url!r} is no http or https address.")
        if not self.token:
            raise ValueError("token: it is empty. The page Tokens of your instance makes one.")

    def headers(self) -> Dict[str, str]:
        team = {} if self.team_id is None else {"x-team-id": str(self.team_id)}
        return {"x-api-key": self.token, "user-agent": USER_AGENT, **team}

    def prepare(
        self,
        operation: Operation[Any],
        *,
        path: Mapping[str, object] = NOTHING,
        query: Mapping[str, object] = NOTHING,
        fields: Mapping[str, object] = NOTHING,
        file: Optional[Tuple[bytes, str]] = None,
        key: Optional[str] = None,
    ) -> Prepared:
        require_known(operation, fields)
        headers = self.headers()
        if operation.takes_key:
            key = key or str(uuid.uuid4())
            headers["idempotency-key"] = key
        content = None
        if operation.body == "json":
            headers["content-type"] = "application/json"
            content = to_json(fields).encode()
        if file:
            content, headers["content-type"] = file
        places = {name: quote(str(value), safe="") for name, value in path.items()}
        return Prepared(
            method=operation.method,
            url=self.url.rstrip("/") + operation.path.format(**places),
            is_repeatable=operation.method == "GET" or key is not None,
            headers=headers,
            params={name: to_text(value) for name, value in query.items() if value is not None},
            content=content,
            form=to_form(fields, operation.repeated) if operation.body == "form" else None,
        )


def require_known(operation: Operation[Any], fields: Mapping[str, object]) -> None:
    for name in fields:
        if name in operation.fields:
            continue
        hints = get_close_matches(name, operation.fields, 1)
        question = f" Did you mean {hints[0]!r}?" if hints else ""
        raise TypeError(f"{operation.name}() takes no field {name!r}.{question}")


def read_answer(operation: Operation[T], response: httpx.Response) -> T:
    answer: Any = None
    if operation.answer == "text":
        answer = response.text
    elif operation.answer == "lines":
        answer = [json.loads(line) for line in response.text.splitlines() if line]
    else:
        try:
            answer = response.json()
        except ValueError:
            start = response.text[:200]
            raise AkimboError(
                f"The answer is not JSON: {start}", status=response.status_code
            ) from None
    if operation.unwraps is not None:
        answer = answer.get(operation.unwraps) if operation.unwraps else None
    result: T = answer
    return result
