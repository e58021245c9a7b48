"""Damaged files of every format, and what reads them."""
