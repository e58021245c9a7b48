"""What the tables and plots of docs/ are made of."""
