"""The graph language: made by a builder, checked, printed, read back and interpreted."""
