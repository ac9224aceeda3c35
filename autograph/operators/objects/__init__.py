"""Objects of the user's classes, and values that are one of several."""
