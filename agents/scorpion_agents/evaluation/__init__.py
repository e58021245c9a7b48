"""Measuring: agents on deals, intervals, comparisons, result files."""
