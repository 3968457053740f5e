"""A sketch of one's own, for `kattn-bounds collide experiments/transcripts/running_minimum.py:sketch --m 4 --n 3`.

A prefix is a tuple of n tokens as integers, coordinate 1 the highest bit; anything hashable may be returned.
"""


def sketch(prefix: tuple[int, ...]) -> tuple[int, int]:
    """The bitwise AND of all tokens, and the fewest ones seen: a state updated token by token."""
    common = prefix[0]
    for token in prefix[1:]:
        common &= token
    return common, min(token.bit_count() for token in prefix)
