"""Every stand-in there is, as one layer: ours for the libraries we stream, vcrpy's own for the others."""

from __future__ import annotations

from typing import Any

from recorder.vcr import _aiohttp, _httpx, _urllib3
from recorder.vcr._force import current
from recorder.vcr._layers import Find, Layer

STREAMED = ("httpx", "httpx2", "requests", "urllib3", "boto3", "aiohttp")
"""The names that vcrpy has for what we stream."""


def layer(find: Find = current) -> Layer:
    """A layer of stand-ins for the cassette that `find` finds at each request."""
    import vcr.patch  # type: ignore[import-untyped]  # notes what is original when it is imported: before we change it

    del vcr
    return Layer([*_httpx.patches(find), *_urllib3.patches(find), *_aiohttp.patches(find)], _of_vcrpy(find))


def _of_vcrpy(find: Find) -> list[Any]:
    return []
