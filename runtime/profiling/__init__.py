"""What a compiled graph costs: time, bytes and memory of each step, beside what the machine can."""
