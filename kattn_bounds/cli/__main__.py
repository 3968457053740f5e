from kattn_bounds.cli.main import main

main()
