"""Training: runs, their checkpoints and curves, several seeds, models for other people."""
