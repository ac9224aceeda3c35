"""Rewriting: a gast function goes in, the same function made of operator calls comes out."""
