class CatalogueError(Exception):
    """For the command line: printed, exit code 1."""
