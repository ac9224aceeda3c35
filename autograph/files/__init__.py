"""Whole files: their functions are converted, and all other text stays letter by letter."""
