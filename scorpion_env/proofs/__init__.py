"""Proofs (oracle): that a position is lost, and that moves can be left out of a search."""
