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
# # How many features?
#
# Certified bounds on D*(m, 3), the least number of features of a head that solves length three, from both sides.

# %%
from kattn_bounds import Setting
from kattn_bounds.certificates.checker import check
from kattn_bounds.figures import exponents, features, lengths
from kattn_bounds.figures.base import table_of
from kattn_bounds.lower.bounds import lower_bounds
from kattn_bounds.upper.bounds import upper_bounds

# %%
table = table_of("features")
features.plot(table)

# %% [markdown]
# Every number in the picture is re-derived here, and its certificate read by the independent checker.

# %%
for row in table.series("series").get("best proved lower bound", []):
    if row["m"] <= 10:
        bound = max(lower_bounds(Setting(row["m"])), key=lambda b: b.value)
        assert bound.value == row["features"], row
for row in table.series("series").get("best known upper bound", []):
    if row["m"] <= 10:
        bound = min(upper_bounds(Setting(row["m"])), key=lambda b: b.value)
        assert bound.value == row["features"], row
        if bound.certificate is not None and row["m"] <= 6:
            print(row["m"], check(bound.certificate))

# %% [markdown]
# ## Longer sequences
#
# As the context grows, the number of features needed approaches 2^m.

# %%
lengths.plot(table_of("lengths"))

# %% [markdown]
# ## Large m
#
# The rate at which the number of features grows, c in c^m, for signed and for non-negative features. Enclosures, not floats.

# %%
exponents.plot(table_of("exponents"))
