"""For all tests: Hypothesis judges results, not how long a busy machine took."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("recorder", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("recorder")

collect_ignore_glob = ["examples/*"]  # projects of their own: `pytest_plugin/test_examples.py` runs them
