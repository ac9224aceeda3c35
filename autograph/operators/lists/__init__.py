"""Lists and deques of staged items."""
