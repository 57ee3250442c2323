"""The catalogue of a sound archive."""
