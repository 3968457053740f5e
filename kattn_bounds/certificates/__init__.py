"""Certificates: the format (SPEC.md), models, writers, and a checker that needs the standard library only."""
