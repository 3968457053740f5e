"""Search for kernels of few features: a sequential linear program, made exact afterwards, run as a campaign.

conditions   what a row of the kernel must satisfy, as inequalities between the extremes of its levels
symmetry     groups of coordinate permutations and their representations on the features
program      the linear programs over phi and psi
engine       the descent: joint step, then every row of phi solved anew
starts       where a descent starts
exactify     from floats to integers that solve exactly
campaign     many seeds: parallel, resumable, local or on a dask cluster
store        certificates on disk, replaced only by better ones that the checker accepts
"""
