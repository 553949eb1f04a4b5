from __future__ import annotations

import mimetypes
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List, Optional, Union

from typing_extensions import TypedDict

from ._errors import AkimboError
from ._generated.types import PresignedFile
from ._request import Prepared

Progress = Callable[[int, int], None]
"""Called with the bytes that storage has, and all bytes of the file."""

LANES = 4
COMPLETE_TIMEOUT = 300.0
"""Storage puts hundreds of parts together before it answers."""


class StoredFile(TypedDict):
    name: str
    size: int
    type: str
    bucketUrl: str
    """Pass it as ``video``, ``photo`` or ``file`` of a post."""
    accessUrl: str
    """The same file for everybody who knows the address."""


@dataclass(frozen=True)
class LocalFile:
    path: Path
    name: str
    size: int
    changed_at: int
    type: str
    route: str

    def read(self, offset: int, size: int) -> bytes:
        with open(self.path, "rb") as file:
            file.seek(offset)
            return file.read(size)

    def require_unchanged(self) -> None:
        stats = os.stat(self.path)
        if (stats.st_size, stats.st_mtime_ns) != (self.size, self.changed_at):
            raise AkimboError(f"{self.path} was changed while it was sent. Send it again.")


def describe(
    path: Union[str, os.PathLike[str]], type: Optional[str] = None, route: Optional[str] = None
) -> LocalFile:
    path = Path(path)
    stats = os.stat(path)
    if stats.st_size == 0:
        raise ValueError(f"{path} is empty.")
    type = type or mimetypes.guess_type(path.name)[0]
    if type is None:
        raise ValueError(f"{path} has no known ending. Pass its type, such as type='video/mp4'.")
    return LocalFile(
        path, path.name, stats.st_size, stats.st_mtime_ns, type, route or route_of(type)
    )


def route_of(type: str) -> str:
    """The route with the highest limits for a type. The API refuses what no platform takes."""
    if type.startswith("video/"):
        return "youtube_videos"
    if type == "image/gif":
        return "thumbnails"
    return "photos" if type.startswith("image/") else "documents"


@dataclass(frozen=True)
class Part:
    number: int
    url: str
    offset: int
    size: int
    headers: Dict[str, str]
    is_whole: bool

    def prepare(self, content: bytes) -> Prepared:
        if len(content) != self.size:
            raise AkimboError("The file became shorter while it was sent. Send it again.")
        return Prepared("PUT", self.url, True, self.headers, content=content)


def parts_of(target: PresignedFile) -> List[Part]:
    if "multipart" not in target:
        return [Part(1, target["uploadUrl"], 0, target["size"], target["uploadHeaders"], True)]
    multipart = target["multipart"]
    return [
        Part(
            number=part["partNumber"],
            url=part["uploadUrl"],
            offset=(part["partNumber"] - 1) * multipart["partSize"],
            size=part["size"],
            headers={},
            is_whole=False,
        )
        for part in multipart["parts"]
    ]


def is_stored_already(part: Part, error: AkimboError) -> bool:
    """An earlier try stored the file, and its answer was lost."""
    return part.is_whole and error.status == 412


def prepare_complete(target: PresignedFile, etags: Dict[int, str]) -> Optional[Prepared]:
    if "multipart" not in target:
        return None
    parts = "".join(
        f"<Part><PartNumber>{number}</PartNumber><ETag>{etags[number]}</ETag></Part>"
        for number in sorted(etags)
    )
    body = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode()
    headers = {"content-type": "application/xml"}
    # A repeated completion gets the same answer.
    return Prepared("POST", target["multipart"]["completeUrl"], True, headers, content=body)


def prepare_abort(target: PresignedFile) -> Optional[Prepared]:
    """Storage drops unfinished uploads by itself, so a failure of this call is harmless."""
    if "multipart" not in target:
        return None
    return Prepared("DELETE", target["multipart"]["abortUrl"], False)


def to_stored(file: LocalFile, target: PresignedFile) -> StoredFile:
    return {
        "name": file.name,
        "size": file.size,
        "type": file.type,
        "bucketUrl": target["bucketUrl"],
        "accessUrl": target["accessUrl"],
    }
