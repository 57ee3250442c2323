"""Reports: notebooks executed as templates, and the pages and comments made of them."""

import agenteval.quick_jsonschema  # noqa: F401 - has to run before nbformat is imported
from agenteval.reports.arms import contenders
from agenteval.reports.headline import headline
from agenteval.reports.html import remote_references, to_html
from agenteval.reports.judges import judges_of, labels_by
from agenteval.reports.limits import limits_of
from agenteval.reports.markdown import to_markdown
from agenteval.reports.pair import pair_of
from agenteval.reports.parameters import Parameter
from agenteval.reports.population import runs_in, trials_of
from agenteval.reports.prose import Prose
from agenteval.reports.provenance import provenance
from agenteval.reports.render import Report, render
from agenteval.reports.report import report
from agenteval.reports.run_tables import check_failures, effort, left_out, outcomes
from agenteval.reports.section import Section
from agenteval.reports.slices import arm_changes, by_category, powers, task_changes
from agenteval.reports.starter import new_template
from agenteval.reports.steadiness import steadiness
from agenteval.reports.task_health import task_health
from agenteval.reports.task_rates import rates_by_task
from agenteval.reports.template import Template, find_template, templates
from agenteval.reports.traffic import traffic
from agenteval.reports.trial_facts import failure_of, steps_of, trial_headline, tries_of
from agenteval.reports.validation import validation

__all__ = [
    "arm_changes",
    "by_category",
    "check_failures",
    "contenders",
    "effort",
    "failure_of",
    "find_template",
    "headline",
    "judges_of",
    "labels_by",
    "left_out",
    "limits_of",
    "new_template",
    "outcomes",
    "pair_of",
    "Parameter",
    "powers",
    "Prose",
    "provenance",
    "rates_by_task",
    "remote_references",
    "render",
    "report",
    "Report",
    "runs_in",
    "Section",
    "steadiness",
    "steps_of",
    "task_changes",
    "task_health",
    "Template",
    "templates",
    "to_html",
    "to_markdown",
    "traffic",
    "trial_headline",
    "trials_of",
    "tries_of",
    "validation",
]
