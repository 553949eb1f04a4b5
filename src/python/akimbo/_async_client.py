from __future__ import annotations

import os
import time
from typing import (
    Any,
    AsyncIterator,
    Awaitable,
    Callable,
    Dict,
    List,
    Mapping,
    Optional,
    Tuple,
    TypeVar,
    Union,
)

import anyio
import anyio.to_thread
import httpx

from ._client import TIMEOUT
from ._errors import AkimboError, to_connection_error, to_error
from ._generated.async_groups import AsyncGroups
from ._generated.types import Event, ListEventsType, PresignedFile, Upload
from ._operation import NOTHING, Operation
from ._request import Connection, Prepared, read_answer
from ._retry import RetryPolicy
from ._storage import (
    COMPLETE_TIMEOUT,
    LANES,
    LocalFile,
    Part,
    Progress,
    StoredFile,
    describe,
    is_stored_already,
    parts_of,
    prepare_abort,
    prepare_complete,
    to_stored,
)
from ._waiting import ENDED, FEED_PAGE, WAIT_TIMEOUT, feed_polls, polls, timed_out

T = TypeVar("T")

ABORT_TIMEOUT = 10.0


class AsyncAkimbo(AsyncGroups):
    """Client of an instance for asyncio and trio. Its options are those of ``Akimbo``."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = TIMEOUT,
        retries: int = 4,
        team_id: Optional[int] = None,
        http_client: Optional[httpx.AsyncClient] = None,
        sleep: Callable[[float], Awaitable[object]] = anyio.sleep,
    ) -> None:
        self._connection = Connection(url, token, team_id)
        self._http = http_client or httpx.AsyncClient(timeout=httpx.Timeout(timeout, connect=10.0))
        self._policy = RetryPolicy(retries)
        self._sleep = sleep
        super().__init__(self._send)

    async def __aenter__(self) -> AsyncAkimbo:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def _send(
        self,
        operation: Operation[T],
        *,
        path: Mapping[str, object] = NOTHING,
        query: Mapping[str, object] = NOTHING,
        fields: Mapping[str, object] = NOTHING,
        file: Optional[Tuple[bytes, str]] = None,
        key: Optional[str] = None,
    ) -> T:
        # Files of a form are read from disk.
        prepared = await anyio.to_thread.run_sync(
            lambda: self._connection.prepare(
                operation, path=path, query=query, fields=fields, file=file, key=key
            )
        )
        return read_answer(operation, await self._attempt(prepared))

    async def _attempt(self, prepared: Prepared, **options: Any) -> httpx.Response:
        tries = 0
        while True:
            tries += 1
            try:
                response = await self._http.request(**prepared.arguments(), **options)
                if response.is_success:
                    return response
                failure = to_error(response)
            except httpx.TransportError as error:
                failure = to_connection_error(error)
            wait = self._policy.wait_after(tries, failure, prepared.is_repeatable)
            if wait is None:
                raise failure
            await self._sleep(wait)

    async def upload_file(
        self,
        path: Union[str, os.PathLike[str]],
        *,
        type: Optional[str] = None,
        route: Optional[str] = None,
        progress: Optional[Progress] = None,
    ) -> StoredFile:
        """Sends a file of up to 10 GiB straight to storage, as ``Akimbo.upload_file`` does."""
        file = await anyio.to_thread.run_sync(describe, path, type, route)
        answer = await self.files.presign(
            route=file.route, files=[{"name": file.name, "size": file.size, "type": file.type}]
        )
        [target] = answer["files"]
        try:
            etags = await self._send_parts(file, target, progress)
            await anyio.to_thread.run_sync(file.require_unchanged)
            complete = prepare_complete(target, etags)
            if complete:
                await self._attempt(complete, timeout=COMPLETE_TIMEOUT)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._abort(target)
            raise
        return to_stored(file, target)

    async def _send_parts(
        self, file: LocalFile, target: PresignedFile, progress: Optional[Progress]
    ) -> Dict[int, str]:
        etags: Dict[int, str] = {}
        failures: List[Exception] = []
        waiting = iter(parts_of(target))
        sent = 0

        async def lane() -> None:
            nonlocal sent
            for part in waiting:
                try:
                    etags[part.number] = await self._send_part(file, part)
                    sent += part.size
                    if progress:
                        progress(sent, file.size)
                except Exception as error:
                    failures.append(error)
                    group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            for _ in range(LANES):
                group.start_soon(lane)
        if failures:
            raise failures[0]
        return etags

    async def _send_part(self, file: LocalFile, part: Part) -> str:
        content = await anyio.to_thread.run_sync(file.read, part.offset, part.size)
        try:
            response = await self._attempt(part.prepare(content))
        except AkimboError as error:
            if is_stored_already(part, error):
                return ""
            raise
        etag: str = response.headers.get("etag", "")
        return etag.strip('"')

    async def _abort(self, target: PresignedFile) -> None:
        abort = prepare_abort(target)
        if abort:
            try:
                await self._http.request(**abort.arguments(), timeout=ABORT_TIMEOUT)
            except httpx.TransportError:
                pass

    async def wait_for(
        self,
        upload_id: int,
        *,
        timeout: float = WAIT_TIMEOUT,
        on_change: Optional[Callable[[Upload], object]] = None,
    ) -> Upload:
        """Waits until a post is published, has failed, or waits for its time or for a person.

        :raises WaitTimeout: with the post as it was read last
        """
        ends_at = time.monotonic() + timeout
        status = None
        waits = polls()
        while True:
            upload = await self.uploads.get(upload_id)
            if on_change and upload["status"] != status:
                on_change(upload)
            status = upload["status"]
            if status in ENDED:
                return upload
            seconds = next(waits)
            if time.monotonic() + seconds > ends_at:
                raise timed_out(upload, timeout)
            await self._sleep(seconds)

    async def events(
        self,
        after: Optional[str] = None,
        *,
        type: Optional[ListEventsType] = None,
        follow: bool = False,
    ) -> AsyncIterator[Event]:
        """The team's events, oldest first, as ``Akimbo.events`` gives them."""
        waits = feed_polls()
        while True:
            page = await self.webhooks.list_events(after=after, limit=FEED_PAGE, type=type)
            for event in page["data"]:
                yield event
            after = page["nextCursor"]
            if page["data"]:
                waits = feed_polls()
            if page["hasMore"]:
                continue
            if not follow:
                return
            await self._sleep(next(waits))
