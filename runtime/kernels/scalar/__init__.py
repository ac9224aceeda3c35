"""What operators and functions mean for numbers, in the instructions of kernels."""
