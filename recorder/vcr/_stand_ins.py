"""Every stand-in there is, as one layer: ours for the libraries we stream, vcrpy's own for the others."""

from __future__ import annotations

from recorder.vcr import _aiohttp, _httpx, _urllib3
from recorder.vcr._force import current
from recorder.vcr._layers import Find, Layer, Patch
from recorder.vcr._quiet import quiet
from recorder.vcr._vcrpy import keep_ours, patchers


def layer() -> Layer:
    """A layer of stand-ins; each finds its cassette when a request is made."""
    import vcr.patch  # type: ignore[import-untyped]  # notes what is original when it is imported: before we change it

    del vcr
    ours = streamed(current)
    return Layer([*ours, keep_ours(ours)], [quiet(), *patchers(current)])


def streamed(find: Find) -> list[Patch]:
    """Stand-ins for the libraries we stream.

    Args:
        find: the cassette for a request that is made now; None lets it pass.
    """
    return [*_httpx.patches(find), *_urllib3.patches(find), *_aiohttp.patches(find)]
