"""Properties run the same examples everywhere, and no slow machine fails them."""

from hypothesis import settings

settings.register_profile("stats", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("stats")
