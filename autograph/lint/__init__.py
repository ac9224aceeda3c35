"""Known hazards of staged functions, found in the text of a file.

In: the text of a module. Out: findings with places, reasons and fixes. Nothing is imported or run;
what is an array is guessed from the parameters of the staged functions.
"""

from autograph.lint.check import as_json, as_text, check_text
from autograph.lint.rule import Finding, Rule
from autograph.lint.table import RULES

__all__ = ["RULES", "Finding", "Rule", "as_json", "as_text", "check_text"]
