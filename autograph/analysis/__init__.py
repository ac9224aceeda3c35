"""Facts about a tree, asked for and cached; nothing here changes a tree or notes things on it."""
