"""Dose labels. `label_for` is the whole thing."""

from .course import Animal, Course, course
from .dose import Dose, plan
from .errors import DosewellError, UnknownDrug, UnsuitableForm
from .formulary import load_formulary
from .label import label_for

__all__ = [
    "Animal",
    "Course",
    "Dose",
    "DosewellError",
    "UnknownDrug",
    "UnsuitableForm",
    "course",
    "label_for",
    "load_formulary",
    "plan",
]
