"""What only the book needs: truth, tables, figures, notebooks, the ledger.

A reader who wants the mathematics installs `attention_scale`; this package
is for the chapters and for those who build them.
"""
