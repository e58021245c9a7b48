"""How boards and moves are written, and how files are read and written."""
