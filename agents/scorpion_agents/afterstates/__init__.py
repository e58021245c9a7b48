"""What the network reads: positions as a player sees them, and what each action makes of them."""
