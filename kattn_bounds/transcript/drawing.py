"""Drawings: an architecture with its minimum cut, and accuracy against the size of the transcript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.transcript.architecture import Cut, CutSet
from kattn_bounds.transcript.counting import log2_exactly

_CUT, _PATH, _PLAIN = "#c1272d", "#d98c00", "#8a8f98"
MAX_DRAWN_LAYERS = 8


def draw_architecture(result: CutSet, path: str | Path) -> None:
    """Draw blocks (rows), layers (columns) and channels, the tightest cut in red, an escaping path in orange.

    Raises InputError when the architecture has more than 8 layers (the drawing would not be readable) or the file cannot be
    written.
    """
    architecture = result.architecture
    if architecture.depth > MAX_DRAWN_LAYERS:
        raise InputError(
            f"{architecture.depth} layers are too many to draw: give at most {MAX_DRAWN_LAYERS}, or read the cut as text"
        )
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    cut = result.tightest
    blocks = architecture.blocks
    place: dict[str, tuple[float, float]] = {}
    for level in range(architecture.depth + 1):
        for row, block in enumerate(blocks):
            place[f"{block}@{level}"] = (2.0 * level, -1.0 * row)
    channels = _channel_places(result, place)
    place |= channels

    width = 3.2 + 2.3 * architecture.depth
    height = 1.9 + 0.95 * len(blocks)
    figure, axes = plt.subplots(figsize=(width, height))
    crossing = set(cut.edges)
    onpath = set(zip(cut.path, cut.path[1:], strict=False))
    for tail, head, data in result.graph.edges(data=True):
        if tail not in place or head not in place:
            continue
        (x0, y0), (x1, y1) = place[tail], place[head]
        bounded = data.get("capacity") is not None
        if (tail, head) in crossing:
            color, line, order = _CUT, 3.0, 3
        elif (tail, head) in onpath:
            color, line, order = _PATH, 2.6, 3
        else:
            color, line, order = _PLAIN, 1.6 if bounded else 0.8, 1
        style = "-" if bounded or (tail, head) in onpath else (0, (4, 2))
        axes.annotate(
            "",
            (x1, y1),
            (x0, y0),
            arrowprops={
                "arrowstyle": "-|>",
                "color": color,
                "lw": line,
                "ls": style,
                "shrinkA": 3,
                "shrinkB": 3,
            },
            zorder=order,
        )
        hub = tail.endswith(" >") and head.startswith("> ")
        if bounded or hub:
            carried = data["capacity"] if bounded else "unbounded"
            axes.annotate(
                f"{data['label'].partition(',')[0]}\n{carried}",
                ((x0 + x1) / 2, (y0 + y1) / 2),
                (0, 7),
                textcoords="offset points",
                ha="center",
                va="bottom",
                fontsize=7.5,
                color=color if (tail, head) in crossing else "#444",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85},
                zorder=6,
            )
    for node, (x, y) in place.items():
        if node in channels:
            axes.plot(x, y, "o", ms=3, color=_PLAIN, zorder=4)
            continue
        block = node.rpartition("@")[0]
        varied = block in cut.blocks
        face = "#dce9f7" if varied else ("#f3e3c3" if block == architecture.query else "#eeeeee")
        axes.plot(x, y, "o", ms=15, mfc=face, mec="#30343b", mew=1.0, zorder=4)
    for row, block in enumerate(blocks):
        size = next((f"{b.tokens} tokens" for b in architecture.data if b.name == block), "1 token")
        axes.text(-0.35, -row, f"{block}\n{size}", ha="right", va="center", fontsize=9)
    for level in range(architecture.depth + 1):
        name = "input" if level == 0 else f"after layer {level}"
        axes.text(2.0 * level, 0.62, name, ha="center", va="bottom", fontsize=9)
    axes.set_title(f"{architecture.name} (m = {architecture.m})", loc="left", fontsize=11, pad=6)
    axes.text(
        0.0,
        -0.02,
        _caption(cut),
        transform=axes.transAxes,
        va="top",
        fontsize=9,
        color=_CUT if cut.refutes else "#222",
    )
    axes.set_xlim(-1.6, 2.0 * architecture.depth + 0.5)
    axes.set_ylim(min(y for _, y in place.values()) - 0.5, 0.95)
    axes.axis("off")
    _save(figure, path)
    plt.close(figure)


def _channel_places(
    result: CutSet, place: Mapping[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    """Both ends of every bottleneck: between the two layers, at the mean height of what it joins, without overlaps."""
    graph = result.graph
    ends: dict[str, tuple[float, float]] = {}
    taken: dict[float, list[float]] = {}
    bottom = min(y for _, y in place.values())
    for tail, head, data in graph.edges(data=True):
        if not tail.endswith(" >") or not head.startswith("> "):
            continue
        x = 2.0 * data["layer"] - 1.0
        rows = [place[node][1] for node in (*graph.pred[tail], *graph.succ[head]) if node in place]
        y = sum(rows) / len(rows)
        if abs(y - round(y)) < 0.3:  # not on the line of a block: below the query instead
            y = bottom - 0.75
        while any(abs(y - other) < 0.34 for other in taken.get(x, [])):
            y -= 0.5
        taken.setdefault(x, []).append(y)
        ends[tail], ends[head] = (x - 0.38, y), (x + 0.38, y)
    return ends


def _caption(cut: Cut) -> str:
    needed = log2_exactly(cut.needed.lower)
    who = " + ".join(cut.blocks)
    if cut.capacity is None:
        return (
            f"No finite cut: {who} reach the query by an unbounded path (orange),\n"
            "so the bound says nothing. Dashed arrows are unbounded."
        )
    verdict = "so some answer is wrong" if cut.refutes else "which the cut carries"
    least = "" if cut.needed.exact else "at least "
    layers = sorted({layer for layer, _, _ in cut.described})
    shown = (
        "layer " + ", ".join(map(str, layers))
        if len(layers) == 1
        else "layers " + ", ".join(map(str, layers))
    )
    return (
        f"Minimum cut (red, {shown}): {cut.capacity} from {who} to the query.\n"
        f"Their answers need {least}{needed:.2f} bits, {verdict}. Dashed arrows are unbounded."
    )


def draw_accuracy(
    points: Sequence[Mapping[str, Any]], title: str, threshold: float, path: str | Path
) -> None:
    """Accuracy of the best decoder against the size of the transcript, with the threshold log2 M marked.

    points have keys bits, encoder ("index" or "hash"), per_answer and per_function, with _low and _high over seeds for
    the hash.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, (top, bottom) = plt.subplots(2, 1, figsize=(7.2, 6.4), sharex=True)
    for axes, key, label in (
        (top, "per_function", "answer functions with\nevery answer right"),
        (bottom, "per_answer", "answers right\n(all functions and queries)"),
    ):
        for encoder, color, marker, name in (
            ("index", "#1f5fa8", "o", "number of the answer function"),
            ("hash", "#c1272d", "s", "random hash of it\n(median and range over seeds)"),
        ):
            rows = sorted((p for p in points if p["encoder"] == encoder), key=lambda p: p["bits"])
            bits = [p["bits"] for p in rows]
            middle = [p[key] for p in rows]
            axes.plot(bits, middle, marker=marker, ms=4, lw=1.4, color=color, label=name)
            if encoder == "hash":
                axes.fill_between(
                    bits,
                    [p[f"{key}_low"] for p in rows],
                    [p[f"{key}_high"] for p in rows],
                    color=color,
                    alpha=0.2,
                    lw=0,
                )
        axes.axvline(threshold, color="#222", lw=1, ls="--")
        axes.set_ylabel(label)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    top.text(threshold + 0.12, 0.06, f"log2 M = {threshold:.2f}\nleast for exact answers", fontsize=9)
    bottom.legend(frameon=False, loc="lower right", fontsize=9)
    bottom.xaxis.get_major_locator().set_params(integer=True)
    bottom.set_xlabel("size of the transcript, L H log2 |Sigma| (bits)")
    top.set_title(title, loc="left", fontsize=11)
    figure.tight_layout()
    _save(figure, path)
    plt.close(figure)


def _save(figure: Any, path: str | Path) -> None:
    try:
        figure.savefig(
            path,
            dpi=140,
            bbox_inches="tight",
            metadata={"Software": None} if str(path).endswith(".png") else None,
        )
    except (OSError, ValueError) as error:
        raise InputError(
            f"cannot write the drawing '{shorten(path)}' ({shorten(error)}): give a .png, .svg or .pdf file"
        ) from None
