"""State that outlives a call: variables."""
