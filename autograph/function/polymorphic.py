"""`Function`: a staged function, of any number of traces."""

from __future__ import annotations

import copy
import functools
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import Any

import autograph.operators as operators
from autograph import conversion
from autograph.errors import GivenUpError
from autograph.files.written import as_written
from autograph.function import shared_arguments
from autograph.function.cache import Cache
from autograph.function.capture_sources import Place
from autograph.function.column_traces import ColumnTraces
from autograph.function.concrete import ConcreteFunction
from autograph.function.eager import SWITCH
from autograph.function.fallback import Fallback, Undone
from autograph.function.guarded_call import LONGEST_CHAIN, leaves, make_entry
from autograph.function.inspection import Inspected
from autograph.function.instances import name_of, watch
from autograph.function.lambda_lifting import Lifted, Lifting
from autograph.function.native_call import Quick
from autograph.function.parameters import Parameters
from autograph.function.pickling import text_of, with_text
from autograph.function.retraces import History, created_again
from autograph.function.shape_relaxation import AFTER_MANY, AT_ONCE, generalised, never_asked
from autograph.function.tracetype import TensorType, held_type
from autograph.function.tracing import Tracer
from autograph.lazy import lazy
from autograph.operators.calls.call import target
from autograph.operators.calls.recursion import called
from autograph.staging.strictness import Strictness, strictly, strictness
from runtime import default_graph, trees
from runtime.errors import StructureChangedError
from runtime.forks import Lock
from runtime.lower.tracebacks import pruned
from runtime.spec import TensorSpec


class Function(Inspected):  # Long: what users may ask of a function, and what Python asks of one.
    """A staged function: it is traced once for each kind of arguments, then its graph runs.

    Made by `autograph.function`. Called like the Python function, with the same results. As a
    method it is bound to an instance: such a one is made anew each time, keeps its instance alive,
    and shares everything else with the others of that instance.
    """

    __slots__ = ("__dict__", "__func__", "__self__", "__weakref__", "_records")

    __self__: Any
    __func__: Function

    def __init__(
        self,
        python_function: Callable[..., Any],
        *,
        input_signature: Sequence[Any] | None = None,
        autograph: bool = True,
        backend: str | None = None,
        strict: Strictness = False,
        reduce_retracing: bool | None = None,
        donate: str | Sequence[str] = (),
    ) -> None:
        functools.update_wrapper(self, python_function)
        self.python_function = python_function
        self._signature = Parameters(python_function, input_signature, donate)
        self._options: dict[str, Any] = {
            "autograph": autograph,
            "backend": backend,
            "strict": strict,
            "reduce_retracing": reduce_retracing,
        }
        self._strict = strict
        self._is_exact = reduce_retracing is False or input_signature is not None
        self._cache, self._lock = Cache(), Lock()
        self._receiver: Callable[[], Any] = lambda: None
        self._bound: dict[int, Function] = {}
        make = self._of_views if input_signature is None else None
        self._on_memory = shared_arguments.OnMemory(
            make, partial(self._find, is_call=True, flatten=shared_arguments.as_objects)
        )
        self._owner: type | None = None
        self._attribute: str = getattr(python_function, "__name__", "")
        self._kept: deque[int] = deque()
        self._columns = ColumnTraces(AT_ONCE if reduce_retracing else AFTER_MANY, not strict)
        self._quick, self._history = Quick(type(self)), History(self._signature.name)
        self._records = self._quick.records
        self._lifting = Lifting(self, bool(strict) or input_signature is not None)
        is_off = bool(strict) or input_signature is not None or not autograph
        self._fallback = Fallback(self, is_off)
        self._chain = self._missed = self._fallback.call
        self._entry: Callable[..., Any] = self._call_counted
        inline, instance = self._converted_now, lambda: self._receiver()  # noqa: PLW0108
        to_trace = lambda: self.to_trace()  # noqa: E731, PLW0108  (it may be replaced)
        self._tracer = Tracer(
            self._signature, python_function, to_trace, inline, instance, backend, strict
        )
        self._plain, self._is_eager = python_function, False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if SWITCH.is_used:
                entries = self._entry, self._call_eagerly, self._call_slowly
                return SWITCH.entry(self._is_eager, *entries)(*args, **kwargs)
            return self._entry(*args, **kwargs)
        except Undone as undone:
            other = self._fallback.take(self, undone)
        except BaseException as error:
            leaves(error)
            raise
        return other(*args, **kwargs)

    @property
    def run_eagerly(self) -> bool:
        """Whether calls run the Python function itself; see `autograph.run_functions_eagerly`."""
        return self._is_eager

    @run_eagerly.setter
    def run_eagerly(self, eagerly: bool) -> None:
        SWITCH.is_used = SWITCH.is_used or eagerly
        for one in (self, *self._bound.values()):
            one._is_eager = eagerly
            one._quick.hold(eagerly)

    def _call_eagerly(self, *args: Any, **kwargs: Any) -> Any:
        if self._signature.specs is not None:
            args, kwargs = self._signature.bind(args, kwargs)
            args = self._signature.convert(args)
        return self._plain(*args, **kwargs)

    def __set_name__(self, owner: type, name: str) -> None:
        if not hasattr(self, "__self__"):
            self._owner, self._attribute = owner, name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Return the function bound to an instance: each instance has its own traces."""
        if instance is None:
            return self
        found = self._bound.get(id(instance))
        if found is None or found._receiver() is not instance:
            if hasattr(self, "__self__"):  # a method that is an attribute of another class
                return self
            found = self._bind_to(instance)
        bound = object.__new__(Function)
        bound.__dict__ = found.__dict__
        bound.__func__, bound.__self__, bound._records = found, instance, found._records
        return bound

    def _bind_to(self, instance: Any) -> Function:
        key, reference = watch(instance, self._bound, self._kept)

        @functools.wraps(self.python_function)
        def method(*args: Any, **kwargs: Any) -> Any:
            return self._converted_now(reference(), *args, **kwargs)

        vars(method)["__signature__"] = self._signature.without_receiver
        options = {**self._options, "autograph": False}
        bound = Function(method, input_signature=self._signature.specs, **options)
        bound._receiver, bound._attribute = reference, self._attribute
        bound._fallback.is_off = self._fallback.is_off
        bound._plain = lambda *args, **kwargs: self._plain(reference(), *args, **kwargs)
        bound.run_eagerly = self._is_eager
        self._bound[key] = bound
        return bound

    def __eq__(self, other: object) -> bool:
        """A method is equal to another of the same instance."""
        return isinstance(other, Function) and self.__dict__ is other.__dict__

    def __hash__(self) -> int:
        return id(self.__dict__)

    def __reduce__(self) -> Any:
        """Pickle it as Python does functions and methods: by name; else by the function in it."""
        if hasattr(self, "__self__"):
            return getattr, (self.__self__, self._attribute)
        specs, donated = self._signature.specs, self._signature.donated
        make = partial(Function, input_signature=specs, donate=donated, **self._options)
        function = self.python_function
        return name_of(self) or (with_text, (make, function, text_of(function)))

    def __copy__(self) -> Function:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if not hasattr(self, "__self__"):
            return self
        return getattr(copy.deepcopy(self.__self__, memo), self._attribute)

    @lazy
    def converted(self) -> Callable[..., Any]:
        """The function with its control flow rewritten.

        Raises:
            ConversionError: it cannot be converted: it is a generator, say, or has no source.
        """
        if not self._options["autograph"]:
            return as_written(self.python_function)  # type: ignore[no-any-return]
        if isinstance(self.python_function, FunctionType):
            return conversion.convert(self.python_function, operators)
        return target(self.python_function)  # type: ignore[no-any-return]

    def to_trace(self) -> Callable[..., Any]:
        """Return what is called with symbols; `explain` and `compare` replace this."""
        return self.converted

    def _converted_now(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function that belongs to the trace that is being made."""
        with strictly(self._strict or strictness()):
            return called(self.to_trace())(*args, **kwargs)

    @property
    def trace_count(self) -> int:
        """How many times the function was traced."""
        return self._cache.added + self._lifting.trace_count

    @property
    def concrete_functions(self) -> list[ConcreteFunction]:
        """All traces that can still serve a call, in the order in which they were made."""
        return [*self._cache, *self._lifting.concrete_functions]

    @pruned
    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Return the trace for arguments, or for those of the signature; specs are tensors."""
        bound = self._signature.bind_specs(args, kwargs)
        concrete = self._find(*bound)[0].checked()
        concrete.trace.undo()
        return self._find(*bound)[0] if concrete.trace.created else concrete

    def _call_counted(self, *args: Any, **kwargs: Any) -> Any:
        """Call, and count the call: those after a trace, to find out whether it happens often."""
        if not self._history.called():
            self._entry = self._chain
            self._quick.pause(False)
        return self._chain(*args, **kwargs)

    def _call_slowly(self, *args: Any, **kwargs: Any) -> Any:
        """Call without a guard that fits: the definition of what a call does."""
        if default_graph.current() is not None:
            return self._converted_now(*args, **kwargs)
        if self._owner is not None and args and isinstance(args[0], self._owner):
            return self.__get__(args[0])(*args[1:], **kwargs)
        args, kwargs = self._signature.bind(args, kwargs)
        try:
            concrete, arrays = self._find(args, kwargs, is_call=True)
        except Lifted:
            if self._tracer.lifted:
                raise
            concrete = None
        if concrete is None:
            return self(*args, **kwargs)
        return self._on_memory.run(concrete, arrays, args, kwargs)

    def _of_views(self, views: Sequence[shared_arguments.View]) -> Function:
        """Return the function of the memory that arguments share."""
        python = shared_arguments.on_views(
            self.python_function, self._converted_now, self._signature.python, views
        )
        return self._with_lifted(python, self._tracer.lifted)

    def _with_lifted(self, python: Callable[..., Any], places: Sequence[Place]) -> Function:
        """Return another function, of which variables outside are the first arguments."""
        inner = Function(python, **{**self._options, "autograph": False})
        inner._receiver, inner._tracer.lifted = self._receiver, places
        inner._lifting = Lifting(inner, not places, self._lifting.root)
        inner._fallback = self._fallback
        inner._chain = inner._missed = inner._lifting.call
        return inner

    def _find(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        is_call: bool = False,
        flatten: shared_arguments.Flatten = trees.flatten,
    ) -> tuple[ConcreteFunction, list[Any]]:
        """Return the trace that serves bound arguments, and the tensors among them.

        Where there is none yet, and an object stands in them twice, it is one in the new trace.
        """
        types_from, is_plain = args, flatten is trees.flatten
        if self._signature.specs is not None:
            is_specs = all(isinstance(leaf, TensorSpec) for leaf in trees.flatten(args)[0])
            args = args if is_specs else self._signature.convert(args)
            types_from = (*self._signature.specs, *args[len(self._signature.specs) :])
        if is_plain and (served := self._columns.found(self._cache, (args, kwargs))) is not None:
            return served
        keyed, structure = flatten((types_from, kwargs))
        types, leaves = self._signature.types(keyed, structure), keyed
        if self._signature.specs is not None:
            leaves, _ = trees.flatten((args, kwargs))
            types = tuple(held_type(t, leaf) for t, leaf in zip(types, leaves, strict=True))
        concrete = self._cache.find(structure, types)
        if concrete is None:
            with self._lock:
                if is_plain and self._has_columns((args, kwargs)):
                    return self._find(args, kwargs)
                if (
                    is_plain
                    and self._signature.specs is None
                    and shared_arguments.are_shared((args, kwargs))
                ):
                    return self._find(args, kwargs, is_call, shared_arguments.as_objects)
                try:
                    concrete = self._cache.find(structure, types) or self._trace(
                        structure, types, leaves, (args, kwargs), is_call
                    )
                except StructureChangedError:
                    return self._find(args, kwargs, is_call, flatten)
        pairs = zip(leaves, concrete.types, strict=True)
        return concrete, [x for x, kind in pairs if isinstance(kind, TensorType)]

    def _has_columns(self, bound: Any) -> bool:
        """Tell whether a trace for lists in columns was made, since it was time."""
        made = None if self._is_exact else self._columns.traced(bound, self._tracer)
        if made is not None:
            self._keep(*made)
        return made is not None

    def _trace(
        self,
        structure: Any,
        types: tuple[Any, ...],
        leaves: Sequence[Any],
        bound: Any,
        is_call: bool = False,
    ) -> ConcreteFunction:
        """Return the trace that serves a call.

        One that creates variables, raises, or has changed what is outside serves this call only.
        """
        is_lifted = is_call and not trees.is_shared(structure)
        looking = self._lifting.looking(self._cache, types, bound, is_lifted)
        with self._fallback.tracing(is_call), looking:
            first = self._first(structure, types, leaves, bound)
        self._lifting.written |= first.trace.assigned
        self._fallback.traced(first.trace.changed)
        self._cache.added += bool(first.trace.changed)
        if first.trace.error is not None or first.trace.changed:
            return first
        if not first.trace.created:
            self._keep(structure, first)
            return first
        later = self._tracer.concrete(structure, types, leaves, bound)
        if later.trace.created:
            raise created_again(self._signature.name, first.trace, later.trace)
        self._keep(structure, later)
        return first

    def _first(
        self, structure: Any, types: tuple[Any, ...], leaves: Sequence[Any], bound: Any
    ) -> ConcreteFunction:
        """Return a trace for a call: one that serves more, if it is time and there is one."""
        earlier = [x for other, x in self._cache.items() if other == structure]
        enough = AT_ONCE if self._options["reduce_retracing"] else AFTER_MANY
        is_exact = self._is_exact or self._columns.is_refused
        opened = self._tracer.opened(types, bound)
        general = None if is_exact else opened or generalised(types, earlier, enough)
        if general is None:
            return self._tracer.concrete(structure, types, leaves, bound)
        try:
            found = self._tracer.concrete(structure, general, leaves, bound)
            return found if opened else never_asked(found, earlier)
        except GivenUpError:
            raise
        except Exception:  # it needs the sizes or numbers themselves, or fails with any
            concrete = self._tracer.concrete(structure, types, leaves, bound)
            self._is_exact = True
            return concrete

    def _keep(self, structure: Any, concrete: ConcreteFunction) -> None:
        """Let a trace serve later calls."""
        self._history.traced(concrete)
        self._quick.pause(True)
        has_dropped, kept = self._cache.add(structure, concrete), [(structure, concrete)]
        if has_dropped or getattr(self._chain, "depth", 0) >= LONGEST_CHAIN:
            self._quick.forget()
            self._chain = self._missed
            kept = list(self._cache.items())[-LONGEST_CHAIN // 2 :]
        how = self._quick.keep, partial(self._fallback.take, self)
        for pair in kept:
            self._chain = make_entry(self._signature.python, *pair, self._chain, *how)
        self._entry = self._call_counted

    def __repr__(self) -> str:
        return f"<staged function {self._signature.name}{self._signature.python}>"
