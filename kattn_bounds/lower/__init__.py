"""Lower bounds on the number of features, each with its argument in exact arithmetic."""
