"""The catalogue of a herbarium."""

from .api import Api
from .store import Store
from .viewers import CURATOR, MEMBER, PUBLIC

__all__ = ["CURATOR", "MEMBER", "PUBLIC", "Api", "Store"]
