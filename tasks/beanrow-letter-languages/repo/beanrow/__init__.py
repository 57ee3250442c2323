"""Members and letters of an allotment society."""
