"""Published numbers of antichains and monotone functions (OEIS, values as printed there)."""

DEDEKIND = (2, 3, 6, 20, 168, 7581, 7828354, 2414682040998)
"""A000372: monotone Boolean functions of m = 0, 1, ... variables, the empty antichain counted."""

NON_EMPTY_ANTICHAINS = (1, 2, 5, 19, 167, 7580, 7828353, 2414682040997)
"""A014466: non-empty antichains of subsets of an m-set, m = 0, 1, ..."""

THREE_SETS = (0, 0, 0, 2, 64, 1090, 14000, 153762, 1533504, 14356610, 128722000, 1119607522, 9528462944)
"""A047707: antichains of exactly three subsets of an m-set, m = 0, 1, ..."""
