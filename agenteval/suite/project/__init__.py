"""What can be found out about a project by reading its files."""
