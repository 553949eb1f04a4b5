from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Tuple, TypeVar, Union

import httpx

from ._errors import AkimboError, to_connection_error, to_error
from ._generated.groups import Groups
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

TIMEOUT = 90.0


class Akimbo(Groups):
    """Client of an instance.

    :param url: such as https://akimbo.example.workers.dev
    :param token: an API token, which begins with kmb_
    :param timeout: seconds without an answer, after which a call fails
    :param retries: how often a call is repeated where that is safe
    :param team_id: the team to act for; by default the token's own
    :param http_client: sends the requests, instead of a client of its own
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = TIMEOUT,
        retries: int = 4,
        team_id: Optional[int] = None,
        http_client: Optional[httpx.Client] = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._connection = Connection(url, token, team_id)
        self._http = http_client or httpx.Client(timeout=httpx.Timeout(timeout, connect=10.0))
        self._policy = RetryPolicy(retries)
        self._sleep = sleep
        super().__init__(self._send)

    def __enter__(self) -> Akimbo:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def _send(
        self,
        operation: Operation[T],
        *,
        path: Mapping[str, object] = NOTHING,
        query: Mapping[str, object] = NOTHING,
        fields: Mapping[str, object] = NOTHING,
        file: Optional[Tuple[bytes, str]] = None,
        key: Optional[str] = None,
    ) -> T:
        prepared = self._connection.prepare(
            operation, path=path, query=query, fields=fields, file=file, key=key
        )
        return read_answer(operation, self._attempt(prepared))

    def _attempt(self, prepared: Prepared, **options: Any) -> httpx.Response:
        tries = 0
        while True:
            tries += 1
            try:
                response = self._http.request(**prepared.arguments(), **options)
                if response.is_success:
                    return response
                failure = to_error(response)
            except httpx.TransportError as error:
                failure = to_connection_error(error)
            wait = self._policy.wait_after(tries, failure, prepared.is_repeatable)
            if wait is None:
                raise failure
            self._sleep(wait)

    def upload_file(
        self,
        path: Union[str, os.PathLike[str]],
        *,
        type: Optional[str] = None,
        route: Optional[str] = None,
        progress: Optional[Progress] = None,
    ) -> StoredFile:
        """Sends a file of up to 10 GiB straight to storage, large ones in parts.

        :param type: its MIME type; by default what the name's ending says
        :param route: a route of ``files.presign``, whose limits hold
        :param progress: called with the bytes that are stored, and all bytes
        """
        file = describe(path, type, route)
        [target] = self.files.presign(
            route=file.route, files=[{"name": file.name, "size": file.size, "type": file.type}]
        )["files"]
        try:
            etags = self._send_parts(file, target, progress)
            file.require_unchanged()
            complete = prepare_complete(target, etags)
            if complete:
                self._attempt(complete, timeout=COMPLETE_TIMEOUT)
        except BaseException:
            self._abort(target)
            raise
        return to_stored(file, target)

    def _send_parts(
        self, file: LocalFile, target: PresignedFile, progress: Optional[Progress]
    ) -> Dict[int, str]:
        etags: Dict[int, str] = {}
        sent = 0
        pool = ThreadPoolExecutor(LANES)
        try:
            futures = {pool.submit(self._send_part, file, part): part for part in parts_of(target)}
            for future in as_completed(futures):
                part = futures[future]
                etags[part.number] = future.result()
                sent += part.size
                if progress:
                    progress(sent, file.size)
        finally:
            pool.shutdown(cancel_futures=True)
        return etags

    def _send_part(self, file: LocalFile, part: Part) -> str:
        try:
            response = self._attempt(part.prepare(file.read(part.offset, part.size)))
        except AkimboError as error:
            if is_stored_already(part, error):
                return ""
            raise
        etag: str = response.headers.get("etag", "")
        return etag.strip('"')

    def _abort(self, target: PresignedFile) -> None:
        abort = prepare_abort(target)
        if abort:
            try:
                self._http.request(**abort.arguments())
            except httpx.TransportError:
                pass

    def wait_for(
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
            upload = self.uploads.get(upload_id)
            if on_change and upload["status"] != status:
                on_change(upload)
            status = upload["status"]
            if status in ENDED:
                return upload
            seconds = next(waits)
            if time.monotonic() + seconds > ends_at:
                raise timed_out(upload, timeout)
            self._sleep(seconds)

    def events(
        self,
        after: Optional[str] = None,
        *,
        type: Optional[ListEventsType] = None,
        follow: bool = False,
    ) -> Iterator[Event]:
        """The team's events, oldest first; those of the last 30 days without ``after``.

        :param after: the id of the last event that you have seen
        :param type: events of this name alone, such as ``upload.completed``
        :param follow: wait for further events instead of ending
        """
        waits = feed_polls()
        while True:
            page = self.webhooks.list_events(after=after, limit=FEED_PAGE, type=type)
            yield from page["data"]
            after = page["nextCursor"]
            if page["data"]:
                waits = feed_polls()
            if page["hasMore"]:
                continue
            if not follow:
                return
            self._sleep(next(waits))
