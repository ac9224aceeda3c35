"""What becomes of each statement of a function: staged or not, and why."""

from autograph.explaining.explain import explain, explain_text
from autograph.explaining.report import Explanation, Problem, Statement, Variable

__all__ = ["Explanation", "Problem", "Statement", "Variable", "explain", "explain_text"]
