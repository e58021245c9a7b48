"""Proofs that a position is lost, and that moves can be left out; the solver's and the environments'."""
