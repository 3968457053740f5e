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
# # Transcripts: how much must cross from data to queries
#
# A layered sketch model with L layers, H heads and an alphabet of A symbols can tell at most A^(LH) prefixes apart. So
# L H >= log2(number of answer functions) / log2 A (P6).

# %%
from kattn_bounds.figures import transcripts
from kattn_bounds.figures.base import table_of
from kattn_bounds.transcript.bound import transcript_bound
from kattn_bounds.transcript.counting import answer_functions
from kattn_bounds.transcript.independent import all_answer_vectors, independent_answers

# %% [markdown]
# The exact number of answer functions at m = 4 for one, two and three tokens:

# %%
[answer_functions(4, n) for n in (1, 2, 3)]

# %% [markdown]
# Independent answers: each payload bit of each token is the answer of one query, whatever the others are.

# %%
family = independent_answers(6, 3)
vectors = {answers for _, answers in all_answer_vectors(family)}
print(len(vectors), "answer vectors from", len(family.queries), "queries")
assert len(vectors) == 2 ** len(family.queries)

# %%
print(transcript_bound(8, 10, 256))

# %%
transcripts.plot(table_of("transcripts"))
