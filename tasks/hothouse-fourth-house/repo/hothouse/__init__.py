"""Reads the configuration of a greenhouse controller."""
