"""HTTP content codings (RFC 9110 section 8.4), incremental: what has arrived is given out at once, both ways."""

from recorder.coding._decode import CodingError, Decoder, decoder
from recorder.coding._encode import Encoder, encoder

__all__ = ["CodingError", "Decoder", "Encoder", "decoder", "encoder"]
