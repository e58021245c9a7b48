"""The rules, executed: the only place where a rule is carried out.

:mod:`~scorpion_env.kernels.play` is where to begin; what it offers can be imported from here.
"""

from scorpion_env.kernels.play import (
    clear,
    conclude,
    deal_cards,
    is_null,
    play,
    start_deal,
    start_order,
    undo,
)

__all__ = [
    "clear",
    "conclude",
    "deal_cards",
    "is_null",
    "play",
    "start_deal",
    "start_order",
    "undo",
]
