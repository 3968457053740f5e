"""One module per command; each has `register(app)`. Heavy libraries are imported inside the command's function."""
