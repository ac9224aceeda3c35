"""Text to tree to function: the only room that parses, prints and compiles Python."""
