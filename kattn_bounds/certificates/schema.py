"""Pydantic models of certificates, for writing and reading them in Python. SPEC.md says what each field means.

Models check shapes and reject unknown fields; they prove nothing. The checker does not use them.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, TypeAdapter, ValidationError

from kattn_bounds.certificates.reading import Rejected, parse
from kattn_bounds.errors import InputError, shorten
from kattn_bounds.kernels.base import exact
from kattn_bounds.setting import Features


def rational_json(number: object) -> int | str:
    """A rational as a certificate holds it: an integer, or "p/q" in lowest terms.

    Takes integers, fractions, numpy scalars, finite floats (exact dyadic rationals) and text.

    >>> rational_json(Fraction(2, 4)), rational_json(0.75), rational_json("6/3")
    ('1/2', '3/4', 2)
    """
    value = Fraction(number) if isinstance(number, str) else exact(number)
    return value.numerator if value.denominator == 1 else f"{value.numerator}/{value.denominator}"


Rational = Annotated[int | str, BeforeValidator(rational_json)]
Token = Annotated[str, Field(pattern="^[01]+$")]
Row = list[Rational]
Positive = Annotated[int, Field(ge=1, strict=True)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SettingModel(_Model):
    m: Positive
    n: Positive
    tolerance: Rational
    self_included: StrictBool
    readout: Literal["inner", "free"]


class UpperClaim(_Model):
    quantity: Literal["features"] = "features"
    relation: Literal["<="] = "<="
    value: Positive
    features: Features = "signed"


class LowerClaim(_Model):
    quantity: Literal["features"] = "features"
    relation: Literal[">="] = ">="
    value: Positive
    features: Features = "signed"


class FactorsData(_Model):
    construction: Literal["factors"] = "factors"
    phi: list[Row]
    psi: list[Row]
    values: list[Row] | None = None


class Block(_Model):
    side: Literal["q", "a"]
    degree: Annotated[int, Field(ge=0, strict=True)]
    alpha: Row
    beta: Row


class BlocksData(_Model):
    construction: Literal["blocks"] = "blocks"
    blocks: list[Block]


class ClassesData(_Model):
    construction: Literal["classes"] = "classes"
    bits: Annotated[int, Field(ge=0, strict=True)] | None = None
    table: list[list[Row]]


class SetFunctionData(_Model):
    construction: Literal["setfunction"] = "setfunction"
    terms: list[tuple[Token, Rational]]


class ExpandedData(_Model):
    construction: Literal["expanded"] = "expanded"
    x: Rational


class LayerData(_Model):
    k: Positive
    shift: Row | None = None


class NonnegData(_Model):
    k: Positive


class DominanceData(_Model):
    pairs: list[tuple[Token, Token]]
    scale: Row | None = None


class TraceData(_Model):
    pairs: list[tuple[Token, Token]]
    x: Row
    y: Row
    shift: Rational | None = None


class SingletonsData(_Model):
    pass


class Pattern(_Model):
    signs: str = Field(pattern="^[+-]+$")
    v: list[tuple[Token, Rational]]
    multipliers: list[list[tuple[list[Token], Rational]]]


class IndependenceData(_Model):
    queries: list[Token]
    symmetry: list[list[Positive]] | None = None
    patterns: list[Pattern]


class Entry(_Model):
    q: Token
    a: Token
    j: Positive | None = None
    kind: Literal["K", "N"] | None = None


class InequalityClaim(_Model):
    quantity: Literal["inequality"] = "inequality"
    relation: Literal["<", "<="]
    terms: list[tuple[Rational, Entry]]


class SequenceStep(_Model):
    sequence: list[Token]
    side: Literal["upper", "lower"] | None = None
    multiplier: Rational


class SignStep(_Model):
    nonneg: Entry
    multiplier: Rational


class DerivationData(_Model):
    steps: list[SequenceStep | SignStep]


class AnswersClaim(_Model):
    quantity: Literal["answers"] = "answers"
    relation: Literal[">="] = ">="
    value: Positive
    mode: Literal["one", "all"]


class TranscriptData(_Model):
    addresses: list[str]
    queries: list[tuple[Positive, Positive, Token]]


class _Certificate(_Model):
    format: Literal["kattn-bounds-certificate"] = "kattn-bounds-certificate"
    version: Literal[1] = 1
    setting: SettingModel
    note: dict[str, Any] | None = None


class KernelCertificate(_Certificate):
    kind: Literal["kernel"] = "kernel"
    claim: UpperClaim
    data: Annotated[
        FactorsData | BlocksData | ClassesData | SetFunctionData | ExpandedData,
        Field(discriminator="construction"),
    ]


class LayerCertificate(_Certificate):
    kind: Literal["layer"] = "layer"
    claim: LowerClaim
    data: LayerData


class DominanceCertificate(_Certificate):
    kind: Literal["dominance"] = "dominance"
    claim: LowerClaim
    data: DominanceData


class TraceCertificate(_Certificate):
    kind: Literal["trace"] = "trace"
    claim: LowerClaim
    data: TraceData


class SingletonsCertificate(_Certificate):
    kind: Literal["singletons"] = "singletons"
    claim: LowerClaim
    data: SingletonsData = SingletonsData()


class NonnegCertificate(_Certificate):
    kind: Literal["nonneg"] = "nonneg"
    claim: LowerClaim
    data: NonnegData


class IndependenceCertificate(_Certificate):
    kind: Literal["independence"] = "independence"
    claim: LowerClaim
    data: IndependenceData


class DerivationCertificate(_Certificate):
    kind: Literal["derivation"] = "derivation"
    claim: InequalityClaim
    data: DerivationData


class TranscriptCertificate(_Certificate):
    kind: Literal["transcript"] = "transcript"
    claim: AnswersClaim
    data: TranscriptData


Certificate = (
    KernelCertificate
    | LayerCertificate
    | DominanceCertificate
    | TraceCertificate
    | SingletonsCertificate
    | NonnegCertificate
    | IndependenceCertificate
    | DerivationCertificate
    | TranscriptCertificate
)

_ADAPTER: TypeAdapter[Certificate] = TypeAdapter(Annotated[Certificate, Field(discriminator="kind")])

_ORDER = ("format", "version", "kind", "setting", "claim", "data", "note")


def validate(certificate: object) -> dict[str, Any]:
    """The certificate as a JSON object with its keys in canonical order; tuples become lists, numbers rationals.

    Raises InputError, one line per fault, when a field is missing, unknown or malformed.

    >>> validate({"kind": "layer"})
    Traceback (most recent call last):
        ...
    kattn_bounds.errors.InputError: certificate: layer.setting: Field required
    certificate: layer.claim: Field required
    certificate: layer.data: Field required
    """
    try:
        model = _ADAPTER.validate_python(certificate)
    except ValidationError as error:
        raise InputError(
            f"certificate: {'.'.join(map(str, e['loc']))}: {shorten(e['msg'], 90)}"
            for e in error.errors()[:20]
        ) from None
    dumped = model.model_dump(mode="json", exclude_none=True)
    return {key: dumped[key] for key in _ORDER if key in dumped}


def read_certificate(path: str | Path) -> dict[str, Any]:
    """The certificate in a file, parsed with the checker's limits and validated. Raises InputError."""
    try:
        return validate(parse(Path(path).read_text(encoding="utf-8")))
    except OSError as error:
        raise InputError(f"cannot read '{shorten(path)}' ({error.strerror}): give an existing file") from None
    except Rejected as error:
        raise InputError(f"'{shorten(path)}' is not a certificate: {error}") from None
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"'{shorten(path)}' is not JSON: {shorten(error)}") from None
