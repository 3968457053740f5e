"""`python -m kattn_bounds` is the command `kattn-bounds`."""

from kattn_bounds.cli.main import main

main()
