"""A checker for proof writers: inequalities between kernel entries are derived from the solving conditions, or refuted."""

from kattn_bounds.prove.api import Claim, Kernel, assert_proved, assert_refuted, claim, kernel
from kattn_bounds.prove.prover import Best, Derivation, Proof, best_constant, prove

__all__ = [
    "Best",
    "Claim",
    "Derivation",
    "Kernel",
    "Proof",
    "assert_proved",
    "assert_refuted",
    "best_constant",
    "claim",
    "kernel",
    "prove",
]
