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
# # The cliff between lengths two and three
#
# One feature is exact up to length two (C1), and no number of features that stays small is enough from length three on. Softmax
# does it at a constant temperature (C2).

# %%
from fractions import Fraction

from kattn_bounds import Setting
from kattn_bounds.figures import attention, cliff, decay, temperature
from kattn_bounds.figures.base import table_of
from kattn_bounds.kernels import signed_token_values, softmax, uniform
from kattn_bounds.kernels.softmax import softmax_condition
from kattn_bounds.verify import decide

# %%
attention.plot(table_of("attention"))

# %% [markdown]
# The worst-case error over all sequences, exactly, for five heads:

# %%
stored = table_of("cliff")
cliff.plot(stored)

# %% [markdown]
# The stored table agrees with what the verifier says now.

# %%
m = stored.rows[0][1]
for head, m, n, error in stored.rows:
    if head == "one feature, free readout":
        found = decide(uniform(m), Setting(m, n, readout="free"), signed_token_values(m))
        assert found.worst_error == error, (head, n, found.worst_error, error)
    if head == "softmax, x = 1/3":
        assert decide(softmax(m, Fraction(1, 3)), Setting(m, n)).worst_error == error

# %% [markdown]
# ## The temperature
#
# x = e^-beta solves exactly when (n-1) max_s (2s-1) x^s < 1. Bisection with the verifier finds the same threshold.

# %%
table = table_of("temperature")
for m, n, solves, fails, _ in table.rows:
    left, right = softmax_condition(Setting(m, n), solves) if solves else (0, 1)
    assert left < right
    left, right = softmax_condition(Setting(m, n), fails)
    assert left >= right or fails == 1
temperature.plot(table)

# %% [markdown]
# ## How fast every solving kernel must fall

# %%
decay.plot(table_of("decay"))
