"""Networks, and models on disk."""
