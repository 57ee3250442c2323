"""Sentences as a result: the same words in a notebook, on the page and in a comment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from agenteval.reports.html_to_markdown import html_to_markdown


@dataclass(frozen=True)
class Prose:
    """Sentences; text between backquotes is shown as code.

    Attributes
    ----------
    sentences
        Most important first.
    style
        `headline` sets the first sentence large; `list` makes a list; `plain` paragraphs.
    """

    sentences: tuple[str, ...]
    style: Literal["headline", "list", "plain"] = "plain"

    def __str__(self) -> str:
        mark = "- " if self.style == "list" else ""
        return "\n".join(mark + sentence.replace("`", "") for sentence in self.sentences)

    def _repr_html_(self) -> str:
        texts = [sentence_html(sentence) for sentence in self.sentences]
        if self.style == "list":
            return f"<ul>{''.join(f'<li>{text}</li>' for text in texts)}</ul>"
        if self.style == "headline":
            lead, *rest = texts or [""]
            paragraphs = [
                f'<p class="lead"><strong>{lead}</strong></p>',
                *(f"<p>{text}</p>" for text in rest),
            ]
            return f'<div class="headline">{"".join(paragraphs)}</div>'
        return "".join(f"<p>{text}</p>" for text in texts)

    def _repr_markdown_(self) -> str:
        return html_to_markdown(self._repr_html_())


def code(text: object) -> str:
    """Mark a name so that it is shown as code.

    >>> code("v2")
    '`v2`'
    """
    return f"`{str(text).replace('`', chr(39))}`"


def joined(parts: Sequence[str]) -> str:
    """Join with commas and a final "and".

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    *first, last = parts or [""]
    return f"{', '.join(first)} and {last}" if first else last


def sentence_html(sentence: str) -> str:
    """Escape a sentence and show what is between backquotes as code."""
    kept = re.sub(r"(?<=\d) (?=%)", "\u00a0", escape(sentence, quote=False))
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", kept)
