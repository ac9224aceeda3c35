"""What staged code writes while it is traced: the journal, and what follows from it."""
