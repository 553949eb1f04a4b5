"""Tests without a network: answers are scripted, and nothing sleeps."""

import asyncio
import io
import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, List, Tuple

import anyio
import httpx
import pytest

from akimbo import Akimbo, AkimboError, AsyncAkimbo, InvalidWebhook, WaitTimeout, verify_webhook

URL = "https://akimbo.test"
TOKEN = "kmb_" + "1" * 64

VECTORS = json.loads(
    (Path(__file__).parent.parent / "client" / "webhook-vectors.json").read_text("utf-8")
)


def ok(data: Any = None) -> httpx.Response:
    return httpx.Response(200, json={"success": True, "data": data})


def refusal(status: int, **headers: str) -> httpx.Response:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, json={"success": False, "error": "Not now."}, headers=names)


class Script:
    """Answers requests in turn, and keeps them with the waits between them."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.requests: List[httpx.Request] = []
        self.waits: List[float] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, httpx.Response):
            return answer
        raise answer

    def client(self, retries: int = 2) -> Akimbo:
        http_client = httpx.Client(transport=httpx.MockTransport(self))
        return Akimbo(URL, TOKEN, retries=retries, http_client=http_client, sleep=self.waits.append)


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["what"])
def test_webhooks_are_checked_as_the_typescript_client_checks_them(case: Any) -> None:
    def check() -> Any:
        now = lambda: VECTORS["now"]  # noqa: E731
        return verify_webhook(case["body"].encode(), case["headers"], case["secret"], now=now)

    if case["isValid"]:
        assert check()["event"] == "upload.completed"
    else:
        with pytest.raises(InvalidWebhook):
            check()


def test_calls_over_the_limit_wait_as_retry_after_says() -> None:
    script = Script(refusal(429, retry_after="7"), ok())
    script.client().teams.rename(name="New")
    assert script.waits == [7]


@pytest.mark.parametrize("headers", [{}, {"retry_after": "900"}], ids=["daily cap", "long wait"])
def test_other_429_fail_at_once(headers: Any) -> None:
    script = Script(refusal(429, **headers))
    with pytest.raises(AkimboError) as caught:
        script.client().accounts.list()
    assert caught.value.status == 429
    assert caught.value.retry_after == (900 if headers else None)


LOST: List[Callable[[], Any]] = [
    lambda: httpx.ReadError("The connection was lost."),
    lambda: httpx.ReadTimeout("No answer."),
    lambda: refusal(500),
    lambda: refusal(503, retry_after="1"),
]


@pytest.mark.parametrize("lost", LOST)
def test_only_what_is_safe_to_repeat_is_repeated(lost: Callable[[], Any]) -> None:
    reading = Script(lost(), ok([]))
    assert reading.client().accounts.list() == []
    keyed = Script(lost(), lost(), ok({"uploadId": 1}))
    assert keyed.client().uploads.create(accountId="acc_1")["uploadId"] == 1
    keys = {request.headers["idempotency-key"] for request in keyed.requests}
    assert len(keys) == 1 and len(keyed.requests) == 3
    bodies = [
        request.content.split(b"\r\n", 1)[1].rsplit(b"\r\n--", 1)[0] for request in keyed.requests
    ]
    assert bodies[0] == bodies[1] == bodies[2]
    for_once = Script(lost())
    with pytest.raises(AkimboError):
        for_once.client().teams.rename(name="New")


def test_a_call_that_never_left_is_repeated() -> None:
    script = Script(httpx.ConnectError("refused"), ok())
    script.client().teams.rename(name="New")
    assert len(script.requests) == 2 and 0.3 < script.waits[0] < 0.7


def test_a_call_with_a_key_waits_for_its_first_sending() -> None:
    script = Script(refusal(409, retry_after="1"), ok({"uploadId": 1}))
    script.client().uploads.create(accountId="acc_1", idempotency_key="mine")
    assert [request.headers["idempotency-key"] for request in script.requests] == ["mine", "mine"]


def test_tries_end() -> None:
    script = Script(*[refusal(500) for _ in range(3)])
    with pytest.raises(AkimboError, match="500: Not now."):
        script.client().accounts.list()
    assert len(script.waits) == 2


def test_an_error_has_all_that_the_api_says() -> None:
    body = {
        "success": False,
        "error": "title: too long (and 1 more, see errors)",
        "errors": [
            {"field": "title", "message": "title: too long"},
            {"field": "x", "message": "x: no"},
        ],
    }
    script = Script(httpx.Response(400, json=body, headers={"x-request-id": "r1"}))
    with pytest.raises(AkimboError) as caught:
        script.client().uploads.create(accountId="acc_1")
    error = caught.value
    assert (error.status, error.code, error.request_id) == (400, None, "r1")
    assert [field["field"] for field in error.fields] == ["title", "x"]
    assert str(error) == "400: title: too long; x: no"


def test_an_answer_that_is_no_json_is_told() -> None:
    with pytest.raises(AkimboError, match="502: unexpected answer: <html>"):
        Script(httpx.Response(502, text="<html>")).client(retries=0).accounts.list()
    with pytest.raises(AkimboError, match="not JSON"):
        Script(httpx.Response(200, text="<html>")).client().accounts.list()


def test_an_unknown_field_is_refused_before_anything_is_sent() -> None:
    script = Script()
    with pytest.raises(
        TypeError,
        match=r"uploads.create\(\) takes no field 'descripton'. Did you mean 'description'\?",
    ):
        script.client().uploads.create(accountId="acc_1", descripton="Hello")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        script.client().accounts.list(platfrom="x")  # type: ignore[call-arg]
    assert script.requests == []


def test_a_wrong_address_or_an_empty_token_is_refused() -> None:
    with pytest.raises(ValueError, match="url"):
        Akimbo("akimbo.example", TOKEN)
    with pytest.raises(ValueError, match="token"):
        Akimbo(URL, "")


def test_forms_take_files_lists_json_and_times(tmp_path: Path) -> None:
    (tmp_path / "one.png").write_bytes(b"first")
    script = Script(ok({"uploadId": 1}))
    with open(tmp_path / "one.png", "rb") as file:
        script.client().uploads.create(
            accountId="acc_1",
            photo=[
                tmp_path / "one.png",
                b"second",
                ("third.png", b"third"),
                file,
                "https://a.test/4.png",
            ],
            thread=["and", "so"],
            is_aigc=True,
            photo_cover_index=2,
            schedule_date=datetime(2026, 12, 24, 18, tzinfo=timezone.utc),
        )
    text = script.requests[0].content.decode()
    assert text.count('name="photo"') == 5
    for part in [
        'filename="one.png"',
        'filename="third.png"',
        '["and", "so"]',
        "\r\n\r\ntrue\r\n",
        "\r\n\r\n2\r\n",
        "2026-12-24T18:00:00+00:00",
        "https://a.test/4.png",
    ]:
        assert part in text
    with pytest.raises(ValueError, match="time zone"):
        script.client().uploads.create(accountId="acc_1", schedule_date=datetime(2026, 12, 24))


def test_open_files_can_be_sent_again() -> None:
    script = Script(refusal(500), ok({"uploadId": 1}))
    script.client().uploads.create(accountId="acc_1", video=io.BytesIO(b"film"))
    assert all(b"film" in request.content for request in script.requests)


def test_addresses_and_queries_are_written_as_the_api_reads_them() -> None:
    script = Script(
        ok({}), httpx.Response(200, json={"success": True, "data": [], "pagination": {}})
    )
    client = script.client()
    client.accounts.get("a/b")
    client.uploads.list(status="failed", limit=5)
    paths = [request.url.raw_path.decode() for request in script.requests]
    assert paths == ["/api/v1/accounts/a%2Fb", "/api/v1/upload?status=failed&limit=5"]


STORED = {"bucketUrl": "https://s.test/b", "accessUrl": "https://s.test/a"}


class Storage:
    """Storage in two parts, which refuses or loses what ends so."""

    def __init__(self, refused: str = "none") -> None:
        self.refused = refused
        self.calls: List[Tuple[str, str, bytes]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if path.startswith("/api"):
            [declared] = json.loads(request.content)["files"]
            parts = [
                {"partNumber": 1, "uploadUrl": "https://s.test/1", "size": 3},
                {"partNumber": 2, "uploadUrl": "https://s.test/2", "size": 2},
            ]
            addresses = {
                "completeUrl": "https://s.test/complete",
                "abortUrl": "https://s.test/abort",
            }
            multipart = {"partSize": 3, "parts": parts, **addresses}
            files = [{**declared, **STORED, "multipart": multipart}]
            return httpx.Response(200, json={"success": True, "files": files, "usage": {}})
        assert "x-api-key" not in request.headers
        self.calls.append((request.method, path, request.content))
        if path == self.refused:
            return httpx.Response(403, text="<Error><Message>No.</Message></Error>")
        return httpx.Response(200, headers={"etag": f'"e{path}"'})

    def client(self) -> Akimbo:
        return Akimbo(URL, TOKEN, http_client=httpx.Client(transport=httpx.MockTransport(self)))

    def async_client(self) -> AsyncAkimbo:
        http_client = httpx.AsyncClient(transport=httpx.MockTransport(self))
        return AsyncAkimbo(URL, TOKEN, http_client=http_client)


@pytest.fixture
def film(tmp_path: Path) -> Path:
    path = tmp_path / "film.mp4"
    path.write_bytes(b"12345")
    return path


def upload(storage: Storage, film: Path, backend: str, **options: Any) -> Any:
    if backend == "sync":
        return storage.client().upload_file(film, **options)
    return anyio.run(lambda: storage.async_client().upload_file(film, **options), backend=backend)


BACKENDS = pytest.mark.parametrize("backend", ["sync", "asyncio", "trio"])


@BACKENDS
def test_a_file_is_sent_in_parts_and_put_together(film: Path, backend: str) -> None:
    storage = Storage()
    seen: List[Tuple[int, int]] = []
    stored = upload(storage, film, backend, progress=lambda *both: seen.append(both))
    assert stored == {"name": "film.mp4", "size": 5, "type": "video/mp4", **STORED}
    assert len(seen) == 2 and seen[-1] == (5, 5)
    assert sorted(storage.calls[:2]) == [("PUT", "/1", b"123"), ("PUT", "/2", b"45")]
    method, path, body = storage.calls[2]
    assert (method, path) == ("POST", "/complete")
    assert body == (
        b"<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>e/1</ETag></Part>"
        b"<Part><PartNumber>2</PartNumber><ETag>e/2</ETag></Part></CompleteMultipartUpload>"
    )


@BACKENDS
@pytest.mark.parametrize("refused", ["/2", "/complete"])
def test_what_was_sent_is_removed_after_a_failure(film: Path, backend: str, refused: str) -> None:
    storage = Storage(refused)
    with pytest.raises(AkimboError, match="403: No."):
        upload(storage, film, backend)
    assert storage.calls[-1][:2] == ("DELETE", "/abort")


def test_a_file_that_changes_while_it_is_sent_is_not_stored(film: Path) -> None:
    storage = Storage()
    with pytest.raises(AkimboError, match="was changed|became shorter"):
        upload(storage, film, "sync", progress=lambda *_: film.write_bytes(b"other words"))
    assert storage.calls[-1][:2] == ("DELETE", "/abort")


def test_a_file_of_no_known_type_or_without_bytes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "film").write_bytes(b"1")
    (tmp_path / "empty.mp4").write_bytes(b"")
    for name, words in [("film", "Pass its type"), ("empty.mp4", "is empty")]:
        with pytest.raises(ValueError, match=words):
            Storage().client().upload_file(tmp_path / name)


def test_waiting_ends_with_the_post_and_says_when_it_takes_too_long() -> None:
    states = [ok({"id": 7, "status": status}) for status in ["pending", "pending", "completed"]]
    script = Script(*states)
    seen: List[str] = []
    post = script.client().wait_for(7, on_change=lambda upload: seen.append(upload["status"]))
    assert post["status"] == "completed"
    assert seen == ["pending", "completed"] and script.waits == [0.4, 0.5]
    for status in ["failed", "scheduled", "draft", "pending_approval"]:
        assert Script(ok({"id": 7, "status": status})).client().wait_for(7)["status"] == status
    with pytest.raises(WaitTimeout, match="Post 7 is processing after 0 seconds") as caught:
        Script(ok({"id": 7, "status": "processing"})).client().wait_for(7, timeout=0)
    assert caught.value.upload["id"] == 7


def page(name: str, has_more: bool) -> httpx.Response:
    answer = {"success": True, "data": [{"id": name}], "nextCursor": name, "hasMore": has_more}
    return httpx.Response(200, json=answer)


def test_the_feed_is_read_from_a_cursor_to_its_end() -> None:
    script = Script(page("evt_2", True), page("evt_3", False))
    assert [event["id"] for event in script.client().events(after="evt_1")] == ["evt_2", "evt_3"]
    assert [request.url.params["after"] for request in script.requests] == ["evt_1", "evt_2"]
    assert script.waits == []


def test_following_the_feed_waits_for_further_events() -> None:
    script = Script(page("evt_2", False), page("evt_3", False))
    feed = script.client().events(after="evt_1", follow=True)
    assert [next(feed)["id"], next(feed)["id"]] == ["evt_2", "evt_3"]
    assert script.waits == [1.5]


def test_the_async_client_retries_and_reads_the_feed() -> None:
    script = Script(refusal(429, retry_after="3"), page("evt_2", False))

    async def sleep(seconds: float) -> None:
        script.waits.append(seconds)

    async def read() -> List[str]:
        http_client = httpx.AsyncClient(transport=httpx.MockTransport(script))
        async with AsyncAkimbo(URL, TOKEN, http_client=http_client, sleep=sleep) as client:
            return [event["id"] async for event in client.events()]

    assert asyncio.run(read()) == ["evt_2"]
    assert script.waits == [3]
