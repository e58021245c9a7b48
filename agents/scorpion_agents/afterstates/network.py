"""The network that scores afterstates, compiled: the same numbers as torch's, without torch.

:class:`scorpion_agents.afterstates.policy.SuitsNet` is the network that is trained. A call of torch
costs more than the few products of one position, and searches ask for one position at a time. Each
row is computed by itself, so that its result depends neither on the other rows nor on how many they
are. What is 0 is not multiplied: three of four features of cards are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scorpion_env.errors import ScorpionError
from scorpion_env.kernels.compiled import compiled, inlined

Floats = npt.NDArray[np.float32]


class Network(NamedTuple):
    """Weights of a ``SuitsNet``, laid out for `score`; the scales of features are within them.

    Attributes:
        encoder: Of each layer, float32 ``(inputs, outputs)``.
        encoder_bias: Of each layer, float32 ``(outputs,)``.
        head: Likewise, for the layers after the pooling.
        head_bias: Likewise.
        width: Outputs of the widest layer.
        is_tanh: Whether tanh stands between the layers; ReLU does otherwise.
    """

    encoder: tuple[Floats, ...]
    encoder_bias: tuple[Floats, ...]
    head: tuple[Floats, ...]
    head_bias: tuple[Floats, ...]
    width: int
    is_tanh: bool


def read_network(weights: Mapping[str, npt.NDArray[Any]], name: str, activation: str) -> Network:
    """Return the network of a state dictionary.

    Args:
        weights: Arrays by name, as ``SuitsNet`` calls them.
        name: Which one, ``"actor"`` or ``"critic"``.
        activation: ``"relu"`` or ``"tanh"``.

    Raises:
        ScorpionError: if an array is missing or its shape does not fit.
    """
    try:
        encoder, encoder_bias = _layers(weights, f"{name}.encoder")
        head, head_bias = _layers(weights, f"{name}.head")
        card_scale, rest_scale = (
            np.asarray(weights[f"{name}.{part}_scale"], np.float32) for part in ("card", "rest")
        )
        encoder[0] *= card_scale[:, None]
        head[0][-len(rest_scale) :] *= rest_scale[:, None]
    except (KeyError, ValueError, IndexError) as error:
        raise ScorpionError(f"The weights are those of no afterstate policy: {error}.") from error
    inputs = [2 * encoder[-1].shape[1] + len(rest_scale)]
    fits = encoder[0].shape[0] == len(card_scale) and head[-1].shape[1] == 1
    for layers, widths in ((encoder, [len(card_scale)]), (head, inputs)):
        for layer in layers:
            fits = fits and layer.shape[0] == widths[-1]
            widths.append(layer.shape[1])
    if not fits:
        raise ScorpionError(f"The layers of the {name} do not fit together.")
    return Network(
        tuple(encoder),
        tuple(encoder_bias),
        tuple(head),
        tuple(head_bias),
        max(layer.shape[1] for layer in (*encoder, *head)),
        activation == "tanh",
    )


def _layers(weights: Mapping[str, npt.NDArray[Any]], name: str) -> tuple[list[Any], list[Any]]:
    count = sum(key.startswith(f"{name}.") and key.endswith(".weight") for key in weights)
    if count == 0:
        raise KeyError(f"{name}.0.weight")
    matrices = [weights[f"{name}.{i}.weight"] for i in range(count)]
    biases = [weights[f"{name}.{i}.bias"] for i in range(count)]
    if any(np.shape(b) != np.shape(m)[:1] for m, b in zip(matrices, biases, strict=True)):
        raise ValueError(f"{name} has biases that do not fit its weights")
    return (
        [np.array(matrix.T, np.float32, order="C") for matrix in matrices],
        [np.array(bias, np.float32) for bias in biases],
    )


@compiled
def score(network: Network, cards: Any, rest: Any, scores: Any) -> None:
    """Compute the network's number of each position.

    Args:
        network: The weights.
        cards: uint8 ``(N, 4, features of 13 cards)``.
        rest: uint8 ``(N, other features)``.
        scores: Written: float32 ``(N,)``.
    """
    suits = cards.shape[1]
    size = network.encoder_bias[-1].shape[0]
    pooled = np.empty(2 * size + rest.shape[1], np.float32)
    x = np.empty(network.width, np.float32)
    y = np.empty(network.width, np.float32)
    places = np.empty(max(network.width, cards.shape[2], pooled.shape[0]) + 1, np.int64)
    for i in range(cards.shape[0]):
        for suit in range(suits):
            code = _encode(network, cards[i, suit], x, y, places)
            for k in range(size):
                if suit == 0:
                    pooled[k] = pooled[size + k] = code[k]
                else:
                    pooled[k] += code[k]
                    pooled[size + k] = max(pooled[size + k], code[k])
        for k in range(rest.shape[1]):
            pooled[2 * size + k] = rest[i, k]
        scores[i] = _head(network, pooled, x, y, places)


@compiled
def _encode(network: Network, features: Any, x: Any, y: Any, places: Any) -> Any:
    """Return the code of a suit, in `x` or `y`; all three arrays are worked in."""
    n = _layer(network.encoder[0], network.encoder_bias[0], features, features.shape[0], x, places)
    _activate(x, n, network.is_tanh)
    for i in range(1, len(network.encoder)):
        n = _layer(network.encoder[i], network.encoder_bias[i], x, n, y, places)
        _activate(y, n, network.is_tanh)
        x, y = y, x
    return x


@compiled
def _head(network: Network, pooled: Any, x: Any, y: Any, places: Any) -> Any:
    """Return what the layers after the pooling make of it."""
    n = _layer(network.head[0], network.head_bias[0], pooled, pooled.shape[0], x, places)
    for i in range(1, len(network.head)):
        _activate(x, n, network.is_tanh)
        n = _layer(network.head[i], network.head_bias[i], x, n, y, places)
        x, y = y, x
    return x[0]


@compiled
def _layer(weight: Any, bias: Any, x: Any, n: int, y: Any, places: Any) -> int:
    """Write ``bias + x[:n] @ weight`` into `y`; return how many numbers that are.

    Eight inputs at a time: `y` is then read and written an eighth as often.
    """
    width = bias.shape[0]
    for j in range(width):
        y[j] = bias[j]
    found = 0
    for i in range(n):
        places[found] = i  # without a branch, which could not be foreseen
        found += x[i] != 0
    k = 0
    while k + 8 <= found:
        p = places[k : k + 8]
        a0, a1, a2, a3 = weight[p[0]], weight[p[1]], weight[p[2]], weight[p[3]]
        a4, a5, a6, a7 = weight[p[4]], weight[p[5]], weight[p[6]], weight[p[7]]
        x0, x1, x2, x3 = _float(x[p[0]]), _float(x[p[1]]), _float(x[p[2]]), _float(x[p[3]])
        x4, x5, x6, x7 = _float(x[p[4]]), _float(x[p[5]]), _float(x[p[6]]), _float(x[p[7]])
        for j in range(width):
            first = (x0 * a0[j] + x1 * a1[j]) + (x2 * a2[j] + x3 * a3[j])
            y[j] += first + ((x4 * a4[j] + x5 * a5[j]) + (x6 * a6[j] + x7 * a7[j]))
        k += 8
    while k < found:
        a0, x0 = weight[places[k]], _float(x[places[k]])
        for j in range(width):
            y[j] += x0 * a0[j]
        k += 1
    return width


@inlined
def _float(number: Any) -> Any:
    return np.float32(number)


@compiled
def _activate(x: Any, n: int, is_tanh: bool) -> None:
    if is_tanh:
        for k in range(n):
            x[k] = np.tanh(x[k])
    else:
        for k in range(n):
            x[k] = max(x[k], np.float32(0))
