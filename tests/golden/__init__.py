"""Golden games and counts, and what writes them."""
