from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import IO, Any, FrozenSet, List, Mapping, Optional, Sequence, Tuple, Union

from typing_extensions import TypeAlias

File: TypeAlias = "Union[str, os.PathLike[str], bytes, IO[bytes], Tuple[str, bytes]]"
"""A text is the address of a file. A ``Path``, an open file and bytes are sent."""

JsonText: TypeAlias = "Union[str, Sequence[Any], Mapping[str, Any]]"
"""JSON as text, or a value that is sent as JSON."""

Time: TypeAlias = "Union[str, datetime]"
"""ISO 8601 with an offset, or a ``datetime`` that knows its zone."""

FormPart: TypeAlias = "Tuple[str, Tuple[Optional[str], Union[str, bytes]]]"
"""The name of a field, the name of its file or None, and the value."""


def to_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return to_time(value)
    if isinstance(value, (dict, list, tuple)):
        return to_json(value)
    return str(value)


def to_time(value: datetime) -> str:
    if value.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone. Pass a datetime with tzinfo.")
    return value.isoformat()


def _to_json_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return to_time(value)
    raise TypeError(f"{value!r} cannot be sent as JSON.")


def to_json(value: Any) -> str:
    return json.dumps(value, default=_to_json_value, ensure_ascii=False)


def to_form(fields: Mapping[str, Any], repeated: FrozenSet[str]) -> List[FormPart]:
    """Reads files into memory, so that the form can be sent again. None is left out."""
    parts: List[FormPart] = []
    for name, value in fields.items():
        is_many = name in repeated and isinstance(value, (list, tuple)) and not is_named(value)
        for one in value if is_many else [value]:
            if one is not None:
                parts.append((name, _read_file(one) or (None, to_text(one))))
    return parts


def is_named(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], bytes)


def _read_file(value: Any) -> Optional[Tuple[str, bytes]]:
    if isinstance(value, bytes):
        return "file", value
    if is_named(value):
        return value[0], value[1]
    if isinstance(value, os.PathLike):
        path = Path(value)
        return path.name, path.read_bytes()
    if hasattr(value, "read"):
        return os.path.basename(str(getattr(value, "name", "file"))), value.read()
    return None
