"""Objects that staged code makes and refers to by number: rows of a heap."""
