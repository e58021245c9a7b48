"""What the three environments share: spaces, arguments, deals to draw from, results, ids."""
