from .allocate import Ballot, CountError, allocate, passes

__all__ = ["Ballot", "CountError", "allocate", "passes"]
