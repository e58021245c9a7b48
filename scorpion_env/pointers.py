"""Arrays without reference counts, for the inside of compiled functions.

Numba counts references to an array whenever a compiled function is called with it, by atomic
instructions; in kernels that pass an array down through five calls a step, these took a third of
the time. Records cost nothing to pass, nor does a pointer to an array's data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

Typed = tuple[Any, Callable[[Any, ir.IRBuilder, Any, Any], ir.Value]]


@intrinsic
def pointer(_: Any, array: Any) -> Typed:
    """Return a pointer to the first element of a contiguous array, null for an empty one.

    It is indexed as a flat array would be, and knows no length. The array must outlive it: take
    pointers only to the arguments of the compiled function that Python calls.
    """
    if not isinstance(array, types.Array) or not array.is_contig:
        raise TypeError("A pointer is taken to a contiguous array.")
    signature = types.CPointer(array.dtype)(array)

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        struct = context.make_array(sig.args[0])(context, builder, args[0])
        empty = builder.icmp_signed("==", struct.nitems, ir.Constant(struct.nitems.type, 0))
        return builder.select(empty, ir.Constant(struct.data.type, None), struct.data)

    return signature, codegen


@intrinsic
def holds_any(_: Any, array: Any) -> Typed:
    """Return whether an array has elements, or a pointer to one is not null."""
    is_pointer = isinstance(array, types.CPointer)

    def codegen(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        if is_pointer:
            return builder.icmp_unsigned("!=", args[0], ir.Constant(args[0].type, None))
        struct = context.make_array(sig.args[0])(context, builder, args[0])
        return builder.icmp_signed("!=", struct.nitems, ir.Constant(struct.nitems.type, 0))

    return types.boolean(array), codegen
