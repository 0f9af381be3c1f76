"""One live exchange onto a tape. Each HTTP library has its own module, which is a door: `recorder.capture.httpx`."""
