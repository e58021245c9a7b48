"""Training configurations: their schema, and their files."""
