"""How generated tests run: quick by default, `--hypothesis-profile=thorough` before a release."""

from hypothesis import settings

settings.register_profile("quick", max_examples=50, deadline=None)  # machines may be busy
settings.register_profile("thorough", max_examples=2000, deadline=None)
settings.load_profile("quick")
