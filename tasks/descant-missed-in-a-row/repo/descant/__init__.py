"""Attendance of the Thursday choir."""
