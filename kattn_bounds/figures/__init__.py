"""Figures, one file each: a data function that returns a tidy table, and a plot function that draws only that table.

Every module here but `base` and `style` has `DATA: Source`, `data(small) -> Table` and `plot(table) -> matplotlib Figure`.
"""
