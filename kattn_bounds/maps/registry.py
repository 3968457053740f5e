"""The list of maps, and the kernel specification `maps:NAME[@embedding[,scale]]`."""

from __future__ import annotations

from collections.abc import Mapping

from kattn_bounds.errors import InputError, shorten
from kattn_bounds.kernels.base import Kernel
from kattn_bounds.kernels.positions import PositionKernel
from kattn_bounds.maps import cosformer, elu, exponential, favor, fourier, hedgehog, polynomial, relu
from kattn_bounds.maps.base import PublishedMap

ALL: tuple[PublishedMap, ...] = (
    elu.MAP,
    relu.MAP,
    relu.SQUARED,
    cosformer.MAP,
    hedgehog.MAP,
    polynomial.MAP,
    polynomial.TAYLOR,
    favor.MAP,
    favor.ORTHOGONAL,
    fourier.MAP,
    exponential.GAUSSIAN,
    exponential.SOFTMAX,
)

MAPS: dict[str, PublishedMap] = {found.name: found for found in ALL}


def find_map(name: str) -> PublishedMap:
    """The map of that name.

    >>> find_map("elu").reference
    'Katharopoulos et al. 2020'
    """
    if name not in MAPS:
        raise InputError(f"map '{shorten(name)}' is unknown: give one of {', '.join(MAPS)}")
    return MAPS[name]


def scheme(text: str, m: int, options: Mapping[str, str]) -> Kernel | PositionKernel:
    """The kernel of `maps:NAME[@embedding[,scale]]` with the options `features` and `seed`.

    Without an embedding, the one of the map's own small set with the least worst-case error at length three is taken.
    """
    from kattn_bounds.maps.evaluate import Choice, best_choice, kernel_of

    name, at, rest = text.partition("@")
    published = find_map(name)
    given = options.get("features")
    if given is None and published.size != "fixed":
        raise InputError(
            f"map '{name}' needs --features: give its {published.size}, for instance --features 64"
        )
    size = int(given) if given is not None else 0
    seed = int(options.get("seed", "0"))
    if not 0 <= size <= 1 << 16 or seed < 0:
        raise InputError(
            f"--features {size} --seed {seed} are out of range: give 1 to 65536, and a seed >= 0"
        )
    if at:
        embedding, _, scale = rest.partition(",")
        try:
            choice = Choice(embedding, float(scale or 1))
        except ValueError:
            raise InputError(
                f"scale '{shorten(scale)}' is not a number: write for instance @negated,2"
            ) from None
    else:
        choice = best_choice(published, m, size, seed)
    return kernel_of(published, m, size, seed, choice)
