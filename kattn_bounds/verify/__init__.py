"""Deciding whether a kernel solves the task, exactly: by all sequences (level reduction) or by orbits."""

from kattn_bounds.verify.counterexample import minimal_counterexample
from kattn_bounds.verify.decide import Decision, decide

__all__ = ["Decision", "decide", "minimal_counterexample"]
