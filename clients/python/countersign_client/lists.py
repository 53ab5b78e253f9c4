"""Lists of the venue, item by item or page by page."""

from __future__ import annotations

from http.client import HTTPResponse
from typing import Any, Callable, Iterator, Mapping, Optional
from urllib.parse import urlencode

from .answer import read_answer, read_json
from .ask import Asker
from .options import CallOptions

# The daemon waits up to 121 s for room for a page.
_LONGEST_SILENCE_S = 150.0
_CHUNK_BYTES = 65_536

Query = Mapping[str, str]


def with_query(path: str, query: Optional[Query]) -> str:
    return f"{path}?{urlencode(query)}" if query else path


def pages(read: Callable[[Query], Mapping[str, Any]], query: Query) -> Iterator[Mapping[str, Any]]:
    """Each page's `data`, by its `next_cursor`, until `has_more` is false."""
    while True:
        page = read(query)
        yield page
        if page.get("has_more") is not True:
            return
        query = {**query, "cursor": str(page["next_cursor"])}


def items(asker: Asker, target: str, by: CallOptions) -> Iterator[Any]:
    """Each item of a list that the daemon follows over its pages.

    Raises Failure, also after some items: then the list isn't whole.
    """
    request = asker.request(target, None, by)
    with asker.exchange(request, _LONGEST_SILENCE_S) as response:
        if response.getheader("Content-Type") != "application/x-ndjson":
            read_answer(response)
            raise ValueError("What came isn't a list.")
        for line in _lines(response):
            yield read_json(line)


def _lines(response: HTTPResponse) -> Iterator[bytes]:
    """Raises HTTPException where the answer is cut off, ValueError where its last line is."""
    rest = b""
    while True:
        chunk = response.read1(_CHUNK_BYTES)
        if not chunk:
            break
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
    if rest:
        raise ValueError("The last line isn't whole.")
