"""What staging raised while a function was traced, and a handler of the program caught.

Comes in: the exceptions about staging that a trace made. Goes out: the first that code which is
not ours has caught and not raised again. Plain Python would not have raised it, so the trace, which
went the handler's way, is worth nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from runtime.errors import DtypeError, RuntimeGraphError, ShapeError, noting
from runtime.graph.location import is_ours, location_in


@contextmanager
def nothing_swallowed() -> Iterator[None]:
    """Raise what was swallowed in a `with` block where it ends, whatever else it raises."""
    with noting(_is_swallowed) as notes:
        try:
            yield
        except BaseException as error:
            found = next((x for x in notes.swallowed() if x is not error), None)
            if found is not None:
                raise _told(found) from None
            raise
        for found in notes.swallowed():
            raise _told(found)


def _is_swallowed(error: BaseException) -> bool:
    """Tell whether code that is not ours caught an exception, or handles it.

    An exception knows the frames that it has left: the outermost is where it was caught. NumPy
    raises for dtypes and shapes itself, so the program may catch that.
    """
    step = error.__traceback__
    if step is None or isinstance(error, DtypeError | ShapeError):
        return False
    return not is_ours(step.tb_frame.f_code.co_filename)


def _told(error: BaseException) -> BaseException:
    """Say in a refusal where it was caught; what starts a trace again has no message."""
    step = error.__traceback__
    if isinstance(error, RuntimeGraphError) and step is not None:
        place = location_in(step.tb_frame.f_code, step.tb_lineno, step.tb_lasti)
        text = "Plain Python raises nothing here, but a handler around this line caught it:"
        error.args = (f"{error}\n{text}\n{place.describe()}", *error.args[1:])
    return error
