"""Transcripts (P6): how much must cross from the data tokens to the query.

In this package n counts the data tokens of the prefix; the query comes on top.
"""
