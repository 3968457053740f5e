"""Certificates replayed inside the Rocq proof assistant, by checkers that are proved sound there."""

from kattn_bounds.rocq.translate import RocqReport, certify_rocq, translate

__all__ = ["RocqReport", "certify_rocq", "translate"]
