"""kattn_bounds: verify, construct, search and certify what kernel attention can and cannot compute."""

from kattn_bounds._version import __version__
from kattn_bounds.errors import InputError
from kattn_bounds.setting import Setting
from kattn_bounds.verdict import Finding, Verdict

__all__ = ["Finding", "InputError", "Setting", "Verdict", "__version__"]
