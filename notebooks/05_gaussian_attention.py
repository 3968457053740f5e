# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Gaussian Kernel Attention on the cube
#
# Attention without query, key and value projections: affinities exp(-|x - y|^2 / 2 sigma^2) of the tokens themselves.

# %%
from fractions import Fraction

from kattn_bounds import Setting
from kattn_bounds.figures import gaussian
from kattn_bounds.figures.base import table_of
from kattn_bounds.kernels import formula
from kattn_bounds.verify import decide, minimal_counterexample

# %% [markdown]
# With g = exp(-1/2 sigma^2), |x - y|^2 = |x| + |y| - 2 <x,y>. Whatever g is, the query's own entry is the largest of its
# row, so the head prefers the wrong token:

# %%
for g in ("1/2", "1/10", "999/1000"):
    head = formula(f"({g})**(k + l - 2*t)", 4)
    found = decide(head, Setting(m=4, n=2))
    print(g, found.verdict.value, found.worst_error, minimal_counterexample(head, Setting(m=4, n=2)))
    assert not found.solves

# %% [markdown]
# Evening out the norms turns it into softmax with x = exp(-1/sigma^2), which solves at small sigma.

# %%
assert decide(formula("(2/5)**t", 4), Setting(m=4)).solves
assert Fraction(2, 5) ** 2 * 6 < 1

# %%
gaussian.plot(table_of("gaussian"))
