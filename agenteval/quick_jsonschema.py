"""Make everything that reads notebooks or draws charts import two seconds sooner.

JupyterLab brings `rfc3987_syntax`, which builds 35 parsers when jsonschema imports it, for a string
format that neither a notebook nor a chart has. jsonschema does without it when it cannot be
imported, so this module is imported before altair, nbformat and papermill.
"""

from __future__ import annotations

import sys

sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
