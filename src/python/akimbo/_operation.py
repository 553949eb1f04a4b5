from __future__ import annotations

from dataclasses import dataclass
from typing import (
    Any,
    Dict,
    FrozenSet,
    Generic,
    Literal,
    Mapping,
    Optional,
    Protocol,
    Tuple,
    TypeVar,
)

T = TypeVar("T")

NOTHING: Dict[str, Any] = {}


@dataclass(frozen=True)
class Operation(Generic[T]):
    """What both clients know of an operation of the API, whose answer is a T."""

    name: str
    method: str
    path: str
    body: Optional[Literal["json", "form", "file"]] = None
    fields: FrozenSet[str] = frozenset()
    repeated: FrozenSet[str] = frozenset()
    """Fields of a form that may come several times."""
    takes_key: bool = False
    """Whether the call takes an Idempotency-Key."""
    answer: Literal["json", "text", "lines"] = "json"
    unwraps: Optional[str] = None
    """The field of the answer that is handed over; none of them for an empty text."""


class Send(Protocol):
    def __call__(
        self,
        operation: Operation[T],
        *,
        path: Mapping[str, object] = NOTHING,
        query: Mapping[str, object] = NOTHING,
        fields: Mapping[str, object] = NOTHING,
        file: Optional[Tuple[bytes, str]] = None,
        key: Optional[str] = None,
    ) -> T: ...


class AsyncSend(Protocol):
    async def __call__(
        self,
        operation: Operation[T],
        *,
        path: Mapping[str, object] = NOTHING,
        query: Mapping[str, object] = NOTHING,
        fields: Mapping[str, object] = NOTHING,
        file: Optional[Tuple[bytes, str]] = None,
        key: Optional[str] = None,
    ) -> T: ...


class Group:
    def __init__(self, send: Send) -> None:
        self._send = send


class AsyncGroup:
    def __init__(self, send: AsyncSend) -> None:
        self._send = send
