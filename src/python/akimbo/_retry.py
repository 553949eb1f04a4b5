from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Optional

import httpx

from ._errors import AkimboError

FIRST_WAIT = 0.5


@dataclass(frozen=True)
class RetryPolicy:
    retries: int = 4
    longest_wait: float = 60.0
    """Seconds. Where the API asks for a longer wait, the call fails at once."""

    def wait_after(self, tries: int, failure: AkimboError, is_repeatable: bool) -> Optional[float]:
        """Seconds before the next try after ``tries`` failed ones; None when there is none."""
        if tries > self.retries or not may_succeed(failure, is_repeatable):
            return None
        wait = failure.retry_after
        if wait is None:
            wait = FIRST_WAIT * 2 ** (tries - 1) * random.uniform(0.75, 1.25)
        return wait if wait <= self.longest_wait else None


def may_succeed(failure: AkimboError, is_repeatable: bool) -> bool:
    status = failure.status
    if status == 429:
        # Calls over the limit are refused before anything is done. A daily cap has no Retry-After.
        return failure.retry_after is not None
    if status == 409:
        return is_repeatable and failure.retry_after is not None
    if status is None and isinstance(failure.__cause__, (httpx.ConnectError, httpx.ConnectTimeout)):
        return True
    return is_repeatable and (status is None or status >= 500 or status == 408)
