"""What the house doesn't like."""

import re

BANNED = ("suddenly", "utilize", "very")
QUOTES = {"en": "“”", "de": "„“", "fr": "«»"}
ALL_QUOTES = set("“”„«»")


def findings(text, settings):
    """(line, message) of everything that is wrong with a text."""
    ignored = {word.lower() for word in settings.ignore}
    wrong_quotes = ALL_QUOTES - set(QUOTES[settings.locale])
    count = started = 0
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        for word in re.findall(r"[\w']+", line):
            if word.lower() in BANNED and word.lower() not in ignored:
                yield number, f'"{word.lower()}" (banned)'
        for mark in sorted(wrong_quotes & set(line)):
            yield number, f"{mark} is no quotation mark in {settings.locale}"
        if line.strip():
            started = started or number
            count += len(line.split())
        elif count:
            if count > settings.max_words:
                yield started, f"{count} words in one paragraph (at most {settings.max_words})"
            count = started = 0
