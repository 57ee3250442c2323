class DosewellError(Exception):
    """Shown to the practice as it is."""


class UnknownDrug(DosewellError):
    pass


class UnsuitableForm(DosewellError):
    """No step of the form is a dose that may be given (rule 4)."""
