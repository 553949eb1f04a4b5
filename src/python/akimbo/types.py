"""The shapes of bodies and answers, such as ``Upload`` and ``NewUpload``."""

from ._generated.types import *
from ._generated.types import __all__ as __all__
