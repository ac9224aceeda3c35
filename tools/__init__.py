"""Commands for people who work on this project; no part of the distribution."""
