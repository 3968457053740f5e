"""Upper bounds on the number of features: constructions, and what is known at each size."""
