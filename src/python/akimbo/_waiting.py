from __future__ import annotations

from typing import Iterator

from ._errors import WaitTimeout
from ._generated.types import Upload

ENDED = ("completed", "failed", "scheduled", "draft", "pending_approval")
"""In these states nothing happens to a post before a person or the time of the plan comes."""

WAIT_TIMEOUT = 600.0
FEED_PAGE = 1000


def polls() -> Iterator[float]:
    """Seconds between looks at a post, which stay below the limit of reads."""
    seconds = 0.4
    while True:
        yield seconds
        seconds = min(seconds * 1.25, 4.0)


def feed_polls() -> Iterator[float]:
    seconds = 1.5
    while True:
        yield seconds
        seconds = min(seconds * 1.5, 10.0)


def timed_out(upload: Upload, timeout: float) -> WaitTimeout:
    message = f"Post {upload['id']} is {upload['status']} after {timeout:g} seconds. It goes on."
    return WaitTimeout(message, upload)
