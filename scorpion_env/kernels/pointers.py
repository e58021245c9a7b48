"""Arrays without reference counts, for the inside of compiled functions.

Numba counts references to an array whenever a compiled function is called with it, by atomic
instructions; in kernels that pass an array down through five calls a step, these took a third of
the time. Records cost nothing to pass, nor does a pointer to an array's data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as numba_intrinsic

CACHE_LINE = 64

SCRATCH_BYTES = 128
"""Room for the cards of two decks."""

_tools: Any = cgutils
ir = _tools.ir
"""llvmlite's, by way of numba, which needs it as well."""

intrinsic: Any = numba_intrinsic
"""What it decorates is called with one argument less than it is defined with: no type says so."""

Typed = tuple[Any, Callable[[Any, Any, Any, Any], Any]]
"""The signature of an intrinsic, and the function that writes its code."""


@intrinsic
def pointer(_: Any, array: Any) -> Typed:
    """Return a pointer to the first element of a contiguous array, null for an empty one.

    It is indexed as a flat array would be, and knows no length. The array must outlive it: take
    pointers only to the arguments of the compiled function that Python calls.
    """
    if not isinstance(array, types.Array) or not array.is_contig:
        raise TypeError("A pointer is taken to a contiguous array.")
    kind: Any = types.CPointer
    signature = kind(array.dtype)(array)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        struct = context.make_array(sig.args[0])(context, builder, args[0])
        empty = builder.icmp_signed("==", struct.nitems, ir.Constant(struct.nitems.type, 0))
        return builder.select(empty, ir.Constant(struct.data.type, None), struct.data)

    return signature, codegen


@intrinsic
def holds_any(_: Any, array: Any) -> Typed:
    """Return whether an array has elements, or a pointer to one is not null."""
    is_pointer = isinstance(array, types.CPointer)

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if is_pointer:
            return builder.icmp_unsigned("!=", args[0], ir.Constant(args[0].type, None))
        struct = context.make_array(sig.args[0])(context, builder, args[0])
        return builder.icmp_signed("!=", struct.nitems, ir.Constant(struct.nitems.type, 0))

    return types.boolean(array), codegen


@intrinsic
def claim(_: Any, place: Any, start: Any, count: Any) -> Typed:
    """Ask the processor for bytes that will be written soon, without waiting for them.

    Args:
        place: A pointer.
        start: The number of the first byte after it.
        count: How many bytes.
    """

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        begin = builder.gep(builder.bitcast(args[0], byte), [args[1]])
        size = args[2].type
        with cgutils.for_range_slice(builder, size(0), args[2], size(CACHE_LINE)) as (i, _count):
            # To be written, kept in every level of the cache, data rather than code.
            builder.call(function, [builder.gep(begin, [i]), word(1), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(place, types.int64, types.int64), codegen


@intrinsic
def scratch(_: Any) -> Typed:
    """Return a pointer to `SCRATCH_BYTES` int8 that nobody else uses until the function returns."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _tools.alloca_once(builder, ir.IntType(8), size=SCRATCH_BYTES)

    kind: Any = types.CPointer
    return kind(types.int8)(), codegen


@intrinsic
def add_atomically(_: Any, place: Any, index: Any, value: Any) -> Typed:
    """Add to a number that other threads add to as well; return what it was before.

    What a thread wrote before it added is seen by those that add after it.

    Args:
        place: A pointer to int64.
        index: The number of the one after it that is meant.
        value: What is added; 0 to look only.
    """

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        number = builder.gep(args[0], [args[1]])
        return builder.atomic_rmw("add", number, args[2], "seq_cst")

    return types.int64(place, types.int64, types.int64), codegen
