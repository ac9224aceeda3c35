"""The rules of derivatives: how definitions of ops say them, and those that are no one-liners."""
