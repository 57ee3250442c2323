class OfficeError(Exception):
    """Something to be told on the command line, exit code 2."""
