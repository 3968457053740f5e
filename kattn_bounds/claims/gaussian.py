"""G1: Gaussian Kernel Attention on the cube, and its parameter count."""

from __future__ import annotations

from kattn_bounds.claims import NotApplicable, claim
from kattn_bounds.gaussian import accounting, spectrum
from kattn_bounds.gaussian.cube import MINIMUM_TASKS, Report, analyse
from kattn_bounds.setting import HALF, Setting
from kattn_bounds.verdict import Finding, Verdict

MAX_M = 64
EVERY = "every sigma"


def _minimum(which: int, setting: Setting) -> Report:
    if setting.readout != "inner":
        raise NotApplicable("the Gaussian heads are defined by their inner-product readout")
    if setting.m > MAX_M:
        raise NotApplicable(f"stated for m <= {MAX_M}")
    return analyse(MINIMUM_TASKS[which], setting)


def _solves_somewhere(report: Report) -> Finding:
    if report.windows:
        return Finding(Verdict.PROVED, "symbolic", f"solves at {report.bandwidths()}")
    if report.instance is None:
        return Finding(
            Verdict.REFUTED, "symbolic", "at each sigma it fails on one of finitely many sequences"
        )
    return Finding(
        Verdict.REFUTED,
        "symbolic",
        f"every sigma: fails on {report.instance.describe(report.setting.m)} (target {report.target})",
        {"argument": report.argument()},
    )


@claim(
    "G1",
    order=900,
    statement="The Gaussian kernel on {0,1}^m has rank 2^m at every bandwidth.",
    rocq=("gaussian_rank",),
)
def gaussian_rank(setting: Setting) -> Finding:
    """Theory section 6: eigenvalues (1+g)^(m-j) (1-g)^j, compared with the sums over the cube as polynomials in g."""
    if setting.m > MAX_M:
        raise NotApplicable(f"stated for m <= {MAX_M}")
    rank = spectrum.rank(setting.m)
    verdict = Verdict.PROVED if rank == setting.tokens else Verdict.REFUTED
    return Finding(
        verdict, "symbolic", f"rank {rank}: eigenvalues (1+g)^({setting.m}-j) (1-g)^j > 0, 0 < g < 1"
    )


@claim(
    "G1",
    order=901,
    statement="Projection-free Gaussian attention solves minimum inner product at some bandwidth.",
    expected=Verdict.REFUTED,
    rocq=("gaussian_fails",),
)
def projection_free(setting: Setting) -> Finding:
    """Theory section 6: K(q, q) = 1 is the row maximum, so the query outweighs the token that it should find."""
    if setting.n == 1:
        raise NotApplicable("at n = 1 the query attends to itself alone")
    if setting.n == 2 and not setting.self_included:
        raise NotApplicable("at n = 2 without self there is one attended token")
    if setting.tolerance > HALF:
        raise NotApplicable("stated for a tolerance of at most 1/2")
    return _solves_somewhere(_minimum(0, setting))


@claim(
    "G1",
    order=902,
    statement="With maps that even out the norms, some bandwidths solve it, and exactly these.",
)
def norm_evening(setting: Setting) -> Finding:
    """Theory section 6: key (a, 1-a) and query (-q, 0) give C2's kernel with x = exp(-1/sigma^2)."""
    report = _minimum(1, setting)
    if not report.windows:
        return Finding(Verdict.REFUTED, "symbolic", "no bandwidth solves it")
    return Finding(
        Verdict.PROVED, "symbolic", f"solves iff {report.bandwidths()}", {"solves": report.bandwidths()}
    )


@claim(
    "G1",
    order=903,
    statement="Complementing the query alone solves minimum inner product at some bandwidth.",
    expected=Verdict.REFUTED,
)
def complemented(setting: Setting) -> Finding:
    """Theory section 6: a factor exp(|a|/2 sigma^2) stays in the kernel. It says so for m >= 2 and n >= 3."""
    if setting.m < 2 or setting.n < 3:
        raise NotApplicable("stated for m >= 2 and n >= 3")
    if setting.tolerance > HALF:
        raise NotApplicable("stated for a tolerance of at most 1/2")
    return _solves_somewhere(_minimum(2, setting))


@claim("G1", order=904, statement="At depth 20 GKA has 0.42 times the parameters of the nanochat baseline.")
def parameter_ratio(setting: Setting) -> Finding:
    """The published ratio, recounted by component (it does not depend on the setting)."""
    shape = accounting.Shape(20)
    ratio = accounting.parameter_ratio(shape)
    agrees = accounting.rounds_to(ratio, accounting.PUBLISHED_PARAMETERS)
    baseline, gka = (accounting.human(accounting.total_parameters(shape, k)) for k in ("baseline", "gka"))
    return Finding(
        Verdict.PROVED if agrees else Verdict.REFUTED,
        "exhaustive",
        f"{gka} / {baseline} = {float(ratio):.4f}",
    )
