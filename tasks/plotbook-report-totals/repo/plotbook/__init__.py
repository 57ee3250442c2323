from .db import open_book
from .reports import names, report

__all__ = ["names", "open_book", "report"]
