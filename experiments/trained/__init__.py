"""Rows of trained heads against rows of random scores. See README.md."""
