"""HTTP content codings (RFC 9110 section 8.4), decoded incrementally: what has arrived is given out at once."""

from recorder.coding._decode import CodingError, Decoder, decoder

__all__ = ["CodingError", "Decoder", "decoder"]
