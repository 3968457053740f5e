"""A silent HiGHS. Its first instance in a process writes a banner to the C standard output, which would spoil `--json -`."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

_lock = threading.Lock()
_greeted = False


def new_highs() -> Any:
    """A HiGHS solver that prints nothing and works on one thread.

    The option `threads` is left alone: HiGHS refuses to run once another library in the process has set it otherwise.

    >>> new_highs().getNumCol()
    0
    """
    global _greeted
    import highspy

    with _lock:
        if _greeted:
            highs = highspy.Highs()  # type: ignore[no-untyped-call]
        else:
            sys.stdout.flush()
            kept = os.dup(1)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            try:
                os.dup2(nowhere, 1)
                highs = highspy.Highs()  # type: ignore[no-untyped-call]
            finally:
                os.dup2(kept, 1)
                os.close(kept)
                os.close(nowhere)
            _greeted = True
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("parallel", "off")
    return highs
