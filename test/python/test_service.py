"""Tests against a running instance with sandbox accounts, by AKIMBO_URL and AKIMBO_TOKEN."""

import asyncio
import os
from pathlib import Path
from typing import Iterator, List

import httpx
import pytest

from akimbo import Akimbo, AkimboError, AsyncAkimbo

URL = os.environ["AKIMBO_URL"]
TOKEN = os.environ["AKIMBO_TOKEN"]


@pytest.fixture
def client() -> Iterator[Akimbo]:
    with Akimbo(URL, TOKEN) as client:
        yield client


@pytest.fixture
def bluesky(client: Akimbo) -> str:
    answer = client.accounts.connect(platform="bluesky", sandbox=True, name="Python")
    assert "data" in answer
    return answer["data"]["id"]


def test_a_photo_is_published_and_told_of(client: Akimbo, bluesky: str) -> None:
    photo = Path("one.png").read_bytes()
    created = client.uploads.create(
        accountId=bluesky, description="A photo", photo=photo, bluesky_langs="en"
    )
    post = client.wait_for(created["uploadId"])
    assert post["status"] == "completed" and post["metadata"]
    assert (post["metadata"]["shareUrl"] or "").startswith("https://bsky.app/profile/")
    events = [event for event in client.events(type="upload.completed")]
    assert created["uploadId"] in [event["data"]["uploadId"] for event in events]
    assert list(client.events(after=events[-1]["id"], type="upload.completed")) == []


def test_a_film_in_two_parts_is_stored_and_published(client: Akimbo, bluesky: str) -> None:
    seen: List[int] = []
    stored = client.upload_file("film.mp4", progress=lambda sent, _: seen.append(sent))
    assert len(seen) == 2 and seen[-1] == stored["size"]
    created = client.uploads.create(
        accountId=bluesky, description="A film of the tests", video=stored["bucketUrl"]
    )
    assert client.wait_for(created["uploadId"])["status"] == "completed"


def test_a_photo_is_stored_in_one_piece(client: Akimbo) -> None:
    stored = client.upload_file("one.png")
    media = client.media.add(url=stored["bucketUrl"], name="kept.png")
    assert media["mediaId"] in [one["mediaId"] for one in client.media.list()["data"]]


def test_one_call_publishes_to_many_accounts(client: Akimbo, bluesky: str) -> None:
    results = client.uploads.create_many(
        accounts=[bluesky, bluesky, "acc_unknown"], description="To many"
    )
    assert [result["success"] for result in results] == [True, False]
    answer = client.uploads.validate(accounts=[bluesky], description="Checked")
    assert answer["valid"] is True


def test_a_repeated_call_makes_one_post(client: Akimbo, bluesky: str) -> None:
    ids = {
        client.uploads.create(accountId=bluesky, description="Once", idempotency_key="once")[
            "uploadId"
        ]
        for _ in range(3)
    }
    assert len(ids) == 1
    with pytest.raises(AkimboError) as caught:
        client.uploads.create(accountId=bluesky, description="Other", idempotency_key="once")
    assert caught.value.code == "IDEMPOTENCY_MISMATCH"


class LosesFirstAnswer(httpx.HTTPTransport):
    """The instance gets every call, and its first answer is lost."""

    calls = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        self.calls += 1
        if self.calls > 1:
            return response
        response.read()
        raise httpx.ReadError("The answer was lost.", request=request)


def test_a_lost_answer_makes_one_post(client: Akimbo, bluesky: str) -> None:
    transport = LosesFirstAnswer()
    with Akimbo(URL, TOKEN, http_client=httpx.Client(transport=transport)) as unlucky:
        created = unlucky.uploads.create(accountId=bluesky, description="Lost, and found")
    assert transport.calls == 2
    posts = client.uploads.list(search="Lost, and found")["data"]
    assert [post["id"] for post in posts] == [created["uploadId"]]


def test_a_refusal_names_every_field(client: Akimbo, bluesky: str) -> None:
    with pytest.raises(AkimboError) as caught:
        client.uploads.create(
            accountId=bluesky,
            description="Hello",
            schedule_date="2026-12-24T18:00",
            bluesky_labels="nice",
        )
    error = caught.value
    assert error.status == 400 and error.request_id
    assert {field["field"] for field in error.fields} == {"schedule_date", "bluesky_labels"}
    with pytest.raises(AkimboError) as caught:
        client.uploads.get(999_999)
    assert (caught.value.status, caught.value.code) == (404, "NOT_FOUND")


def test_a_failed_post_is_an_answer(client: Akimbo, bluesky: str) -> None:
    created = client.uploads.create(accountId=bluesky, description="No luck [sandbox:rate_limited]")
    post = client.wait_for(created["uploadId"])
    assert post["status"] == "failed" and post["failure"]
    assert post["failure"]["code"] == "rate_limited"


def test_pools_links_exports_and_drafts_answer_their_shapes(client: Akimbo, bluesky: str) -> None:
    link = client.short_links.create(url="https://example.com/")
    assert client.short_links.get_code(link["id"]).startswith("<svg")
    client.short_links.delete(link["id"])
    lines = client.leaving.export_team(limit=5)
    assert lines[0]["type"] == "team"
    assert client.calendar.read(from_="2026-12-01", to="2026-12-07")["data"] is not None
    planned = client.uploads.create(accountId=bluesky, description="A draft", status="draft")
    assert client.wait_for(planned["uploadId"])["status"] == "draft"
    client.uploads.delete(planned["uploadId"])


def test_the_async_client_does_the_same(bluesky: str) -> None:
    async def main() -> None:
        async with AsyncAkimbo(URL, TOKEN) as client:
            stored = await client.upload_file("film.mp4")
            created = await client.uploads.create(
                accountId=bluesky, description="An async film", video=stored["bucketUrl"]
            )
            post = await client.wait_for(created["uploadId"])
            assert post["status"] == "completed"
            names = {event["event"] async for event in client.events()}
            assert "upload.completed" in names

    asyncio.run(main())


def test_nothing_answers() -> None:
    with Akimbo("http://127.0.0.1:9", TOKEN, retries=0) as client:
        with pytest.raises(AkimboError, match="http://127.0.0.1:9 cannot be reached"):
            client.accounts.list()
