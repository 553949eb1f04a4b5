"""Never run: what a type checker accepts and refuses. An unused `type: ignore` is an error."""

from datetime import datetime, timezone
from pathlib import Path

from typing_extensions import assert_type

from akimbo import Akimbo, AsyncAkimbo, StoredFile, verify_webhook
from akimbo.types import Account, Event, NewUpload, Upload


def accepted(client: Akimbo) -> None:
    account: Account = client.accounts.list(platform="bluesky", status="active")[0]
    created = client.uploads.create(
        accountId=account["id"],
        photo=[Path("one.png"), b"two", "https://example.com/three.png"],
        schedule_date=datetime.now(timezone.utc),
    )
    assert_type(created["uploadId"], int)
    assert_type(client.wait_for(created["uploadId"]), Upload)
    assert_type(client.upload_file("film.mp4"), StoredFile)
    assert_type(verify_webhook(b"", {}, "secret"), Event)
    fields: NewUpload = {"accountId": "acc_1", "description": "Hello"}
    client.uploads.create(**fields)
    answer = client.accounts.connect(platform="bluesky", sandbox=True)
    if "data" in answer:
        assert_type(answer["data"], Account)
    for event in client.events(type="upload.failed", follow=True):
        assert_type(event, Event)


async def accepted_async(client: AsyncAkimbo) -> None:
    assert_type(await client.uploads.get(1), Upload)
    async for event in client.events():
        assert_type(event, Event)


def refused(client: Akimbo) -> None:
    client.uploads.create(description="Hello")  # type: ignore[call-arg]
    client.uploads.create(accountId="acc_1", descripton="Hello")  # type: ignore[call-arg]
    client.accounts.list(platform="myspace")  # type: ignore[arg-type]
    client.uploads.get(1)["state"]  # type: ignore[typeddict-item]
    client.events(type="upload.done")  # type: ignore[arg-type]
