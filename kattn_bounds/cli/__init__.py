"""The command line: one file per command in `commands/`, each thin. Nothing else in the package imports this one."""
