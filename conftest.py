"""Collects the examples in the package's docstrings as tests."""

from __future__ import annotations

from doctest import ELLIPSIS, IGNORE_EXCEPTION_DETAIL

from sybil import Sybil
from sybil.parsers.doctest import DocTestParser

pytest_collect_file = Sybil(
    parsers=[DocTestParser(optionflags=ELLIPSIS | IGNORE_EXCEPTION_DETAIL)],
    patterns=["kattn_bounds/**/*.py"],
    excludes=["kattn_bounds/gaussian/layer.py", "kattn_bounds/gaussian/train.py"],
).pytest()
