"""Make `import altair` four times quicker when JupyterLab is installed; imported before altair.

JupyterLab brings `rfc3987_syntax`, which builds 35 parsers when jsonschema imports it, for a string
format that no chart has. jsonschema does without it when it cannot be imported.
"""

from __future__ import annotations

import sys

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
