"""Concrete deterministic sketches: what a prefix leaves behind for the query.

A sketch maps a prefix (a tuple of tokens, bit masks) to a hashable transcript. Everything here is integer arithmetic, so a
collision replays anywhere.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from kattn_bounds.errors import Faults, InputError, shorten

Transcript = Callable[[tuple[int, ...]], Hashable]
NAMES = ("linear", "hash", "topk", "antichain")
MAX_FEATURES = 4096


@dataclass(frozen=True, slots=True)
class Sketch:
    """A named sketch of prefixes of n tokens of m bits.

    transcript   prefix -> hashable symbols
    order_free   whether it depends only on the multiset of the prefix's tokens (then only sorted prefixes are listed)
    bits         the size of the transcript in bits, or None when it is not fixed
    about        one line for reports
    """

    name: str
    m: int
    n: int
    transcript: Transcript
    order_free: bool
    bits: int | None
    about: str


def minimal_tokens(prefix: Iterable[int]) -> tuple[int, ...]:
    """The inclusion-minimal tokens, increasing: the antichain that determines every answer.

    >>> minimal_tokens((0b110, 0b100, 0b001, 0b100))
    (1, 4)
    """
    tokens = set(prefix)
    return tuple(sorted(x for x in tokens if not any(y & ~x == 0 and y != x for y in tokens)))


def antichain(m: int, n: int) -> Sketch:
    """The exact antichain: enough for every answer.

    >>> antichain(2, 2).transcript((0b11, 0b01))
    (1,)
    """
    return Sketch("antichain", m, n, minimal_tokens, True, None, "the inclusion-minimal tokens, exactly")


def linear_attention(m: int, n: int, *, features: int = 4, bits: int = 2, seed: int = 0) -> Sketch:
    """The state of a linear-attention head: sum over the prefix of psi(x) (x, 1), each entry rounded to `bits` bits.

    psi has `features` coordinates psi_T(x) = [T n x empty] for seeded random sets T of at most m/2 coordinates (the
    monomials of C4), so an entry is an integer in 0..n; it is kept as floor(entry 2^bits / (n + 1)), exactly when
    2^bits > n. The state has features (m + 1) entries.

    >>> sketch = linear_attention(4, 3, features=2, bits=1)
    >>> sketch.bits, sketch.transcript((0, 0, 0)) == sketch.transcript((0, 0, 15))
    (10, True)
    """
    faults = Faults()
    faults.require(
        1 <= features <= MAX_FEATURES,
        f"features = {features} is out of range: give 1 <= features <= {MAX_FEATURES}",
    )
    faults.require(
        1 <= bits <= 64, f"bits = {bits} is out of range: give 1 <= bits <= 64 for an entry of the state"
    )
    faults.check()
    random = Random(seed)
    masks = [sum(1 << i for i in random.sample(range(m), random.randint(0, m // 2))) for _ in range(features)]
    # One integer holds all entries of the state, each in a field wide enough for the sum n.
    width = (n + 1).bit_length()
    spread = (
        [sum((x >> i & 1) << (width * i) for i in range(m)) | 1 << (width * m) for x in range(1 << m)]
        if m <= 12
        else []
    )
    row = width * (m + 1)
    field = (1 << width) - 1

    def written(x: int) -> int:
        value = spread[x] if spread else sum((x >> i & 1) << (width * i) for i in range(m)) | 1 << (width * m)
        return sum(value << (row * d) for d, mask in enumerate(masks) if x & mask == 0)

    written_once = {x: written(x) for x in range(1 << m)} if m <= 12 else None

    def transcript(prefix: tuple[int, ...]) -> Hashable:
        state = 0
        for x in prefix:
            state += written(x) if written_once is None else written_once[x]
        if 1 << bits > n:
            return state
        return tuple(
            (((state >> shift) & field) << bits) // (n + 1) for shift in range(0, row * features, width)
        )

    kept = bits if 1 << bits <= n else n.bit_length()
    total = features * (m + 1) * kept
    about = f"linear attention, {features} features x {m + 1} values x {bits} bits (seed {seed})"
    return Sketch("linear", m, n, transcript, True, total, about)


def random_hash(m: int, n: int, *, bits: int = 16, seed: int = 0) -> Sketch:
    """A seeded hash of the antichain to `bits` bits (BLAKE2b): what a sketch without structure can do.

    >>> random_hash(3, 2, bits=4).transcript((1, 2)) == random_hash(3, 2, bits=4).transcript((2, 1))
    True
    """
    if not 1 <= bits <= 256:
        raise InputError(f"bits = {bits} is out of range: give 1 <= bits <= 256 for a hash")
    size = (m + 7) // 8
    key = seed.to_bytes(16, "big", signed=True)

    def transcript(prefix: tuple[int, ...]) -> Hashable:
        data = b"".join(x.to_bytes(size, "big") for x in minimal_tokens(prefix))
        digest = hashlib.blake2b(data, digest_size=32, key=key).digest()
        return int.from_bytes(digest, "big") >> (256 - bits)

    return Sketch("hash", m, n, transcript, True, bits, f"a {bits}-bit hash of the antichain (seed {seed})")


def top_k_cache(m: int, n: int, *, keep: int = 2) -> Sketch:
    """A cache of the `keep` distinct tokens with the fewest ones (the likeliest to attain a minimum), ties to the smaller.

    >>> top_k_cache(3, 3, keep=2).transcript((0b111, 0b001, 0b010))
    (1, 2)
    """
    if not 1 <= keep <= 10**6:
        raise InputError(f"keep = {keep} is out of range: give 1 <= keep <= 1000000")

    def transcript(prefix: tuple[int, ...]) -> Hashable:
        return tuple(sorted(set(prefix), key=lambda x: (x.bit_count(), x))[:keep])

    about = f"a cache of the {keep} distinct tokens with the fewest ones"
    return Sketch("topk", m, n, transcript, True, keep * (m + 1), about)


def from_callable(
    m: int, n: int, function: Transcript, *, name: str = "callable", order_free: bool = False
) -> Sketch:
    """Any function of a prefix (a tuple of bit masks) to a hashable. `order_free` is the caller's promise.

    >>> from_callable(2, 2, lambda prefix: len(prefix)).transcript((0, 1))
    2
    """
    promised = ", said not to depend on the order of the tokens" if order_free else ""
    return Sketch(name, m, n, function, order_free, None, f"{name}{promised}")


def named(
    name: str,
    m: int,
    n: int,
    *,
    bits: int | None = None,
    features: int | None = None,
    keep: int | None = None,
    seed: int = 0,
) -> Sketch:
    """A named sketch, or a function of the user's: "path/to/file.py:function" or "module:function".

    Raises InputError for an unknown name, an option the sketch does not have, or a file or function that is not there.

    >>> named("topk", 3, 2, keep=1).about
    'a cache of the 1 distinct tokens with the fewest ones'
    """
    options = {"--bits": bits, "--features": features, "--keep": keep}
    allowed = {
        "linear": ("--bits", "--features"),
        "hash": ("--bits",),
        "topk": ("--keep",),
        "antichain": (),
    }.get(name, ())
    surplus = [
        f"{key} does nothing for the sketch '{shorten(name)}': leave it out"
        for key, value in options.items()
        if value is not None and key not in allowed
    ]
    if surplus:
        raise InputError(surplus)
    if name == "linear":
        return linear_attention(m, n, features=features or 4, bits=bits or 2, seed=seed)
    if name == "hash":
        return random_hash(m, n, bits=bits or 16, seed=seed)
    if name == "topk":
        return top_k_cache(m, n, keep=keep or 2)
    if name == "antichain":
        return antichain(m, n)
    return from_callable(m, n, _load(name), name=name)


def _load(spec: str) -> Transcript:
    place, _, attribute = spec.rpartition(":")
    if not place or not attribute:
        raise InputError(
            f"sketch '{shorten(spec)}' is unknown: give {', '.join(NAMES)}, or your own function as path/to/file.py:function"
        )
    try:
        if place.endswith(".py"):
            path = Path(place)
            if not path.is_file():
                raise InputError(f"file '{shorten(place)}' does not exist: give path/to/file.py:function")
            found = importlib.util.spec_from_file_location(f"_sketch_{path.stem}", path)
            assert found is not None
            assert found.loader is not None
            module = importlib.util.module_from_spec(found)
            sys.modules[found.name] = module
            found.loader.exec_module(module)
        else:
            module = importlib.import_module(place)
    except InputError:
        raise
    except Exception as error:
        raise InputError(
            f"'{shorten(place)}' cannot be loaded ({type(error).__name__}: {shorten(error)}): mend it"
        ) from None
    function = getattr(module, attribute, None)
    if not callable(function):
        raise InputError(
            f"'{shorten(place)}' has no function '{shorten(attribute)}': name one that maps a prefix to symbols"
        )
    loaded: Transcript = function
    return loaded
