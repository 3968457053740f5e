"""Position-dependent kernels K_ij(q, a): the query at position i, the token at position j (P4, L2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kattn_bounds.errors import InputError
from kattn_bounds.kernels.base import Kernel


class PositionKernel:
    """A family of kernels, one for each pair of positions 1 <= j <= i <= n.

    kernel_at(i, j) is the kernel for a query at position i and a token at position j (j = i is the query itself).

    >>> from kattn_bounds.kernels.uniform import uniform
    >>> family = PositionKernel.of_list("two", [uniform(2), uniform(2)])
    >>> family.n, family.at(2, 1).name
    (2, 'uniform')
    """

    def __init__(self, name: str, m: int, n: int, kernel_at: Callable[[int, int], Kernel]) -> None:
        self.name, self.m, self.n, self._kernel_at = name, m, n, kernel_at

    @classmethod
    def of_list(cls, name: str, kernels: Sequence[Kernel]) -> PositionKernel:
        """K_1 .. K_n for a final query at position n; at an earlier query position i, K_j serves j <= i as well."""
        return cls(name, kernels[0].m, len(kernels), lambda i, j: kernels[j - 1])

    def at(self, i: int, j: int) -> Kernel:
        """The kernel of query position i and token position j."""
        if not 1 <= j <= i <= self.n:
            raise InputError(f"kernel '{self.name}' has no positions ({i}, {j}): it has length n = {self.n}")
        return self._kernel_at(i, j)
