"""Kernels, one construction per file. They know nothing of verdicts."""

from kattn_bounds.kernels.base import ClassKernel, Kernel, TableKernel
from kattn_bounds.kernels.expression import formula
from kattn_bounds.kernels.factors import FactorKernel
from kattn_bounds.kernels.positions import PositionKernel
from kattn_bounds.kernels.softmax import expanded, softmax
from kattn_bounds.kernels.spec import parse_kernel, parse_values
from kattn_bounds.kernels.uniform import signed_token_values, uniform

__all__ = [
    "ClassKernel",
    "FactorKernel",
    "Kernel",
    "PositionKernel",
    "TableKernel",
    "expanded",
    "formula",
    "parse_kernel",
    "parse_values",
    "signed_token_values",
    "softmax",
    "uniform",
]
