"""Datasets: what gives elements one by one, in stages that draw from one another."""
