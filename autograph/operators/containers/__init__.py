"""Python lists whose items are known only when the graph runs."""
