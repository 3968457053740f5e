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
# # State a lemma, break it, fix it, prove it
#
# You are writing a proof about kernel heads that solve Boolean minimum inner product at length three. You need to know
# how much smaller a kernel entry must be when the inner product is two larger.

# %%
from fractions import Fraction

from kattn_bounds import Setting
from kattn_bounds.kernels import formula
from kattn_bounds.prove import prove
from kattn_bounds.verify import decide, minimal_counterexample

# %% [markdown]
# ## First guess
#
# A kernel that solves, softmax with x = 1/3, loses a factor 9 over two levels. Is that forced?

# %%
guess = prove("9*K(q,b) < K(q,a)", ["t(q,b) = t(q,a)+2"], n=3)
print(guess.text())

# %% [markdown]
# REFUTED, with a whole kernel that solves the task. The verifier agrees that it solves:

# %%
assert guess.verdict.value == "REFUTED"

# %% [markdown]
# ## What is the best constant?

# %%
best = prove("3*K(q,b) < K(q,a)", ["t(q,b) = t(q,a)+2"], n=3)
print(best.text())
assert best.verdict.value == "PROVED"

# %% [markdown]
# Three is a theorem for every m, from a single sequence. Over four levels two such steps chain to nine:

# %%
chained = prove("9*K(q,b) < K(q,a)", ["t(q,b) = t(q,a)+4"], n=3)
print(chained.text())
assert chained.verdict.value == "PROVED"

# %% [markdown]
# ## The kernel side
#
# The condition that makes x^t solve at length three is x < 1/sqrt 6; on either side of it the verifier says so exactly.

# %%
for x in (Fraction(2, 5), Fraction(41, 100)):
    kernel = formula(f"({x})**t", 6)
    found = decide(kernel, Setting(m=6))
    print(
        x, found.verdict.value, "worst error", found.worst_error, minimal_counterexample(kernel, Setting(m=6))
    )
