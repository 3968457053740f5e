"""Gaussian Kernel Attention (G1): its kernel on the cube, its accounting and (extra `gka`) its layer.

`cube`, `spectrum`, `bandwidth` and `accounting` need no torch; `layer`, `models`, `train`, `language` and `vision` do.
"""
