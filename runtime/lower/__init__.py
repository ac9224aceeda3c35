"""From graphs to what runs: expressions, plans over slots, and a Python driver."""
