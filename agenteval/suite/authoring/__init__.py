"""Authoring: what makes a task out of an author's words, a commit or a failure; nothing is run here."""

from agenteval.suite.authoring.change import CommitChange, FileChange
from agenteval.suite.authoring.clues import Clue, find_clues, marked, names_in
from agenteval.suite.authoring.document import task_document
from agenteval.suite.authoring.draft import category_of, difficulty_of, prompt_of, task_id_of
from agenteval.suite.authoring.fitness import Fitness, fitness
from agenteval.suite.authoring.leaks import (
    Leak,
    find_leaks,
    needed_names,
    texts_below,
    untold_names,
)
from agenteval.suite.authoring.placing import check_new, check_suite, place_task
from agenteval.suite.authoring.skeleton import FILL_IN, Begun, NewTask, new_task
from agenteval.suite.authoring.split import Split, is_test_file, obstacle, split_change
from agenteval.suite.authoring.task_toml import task_toml

__all__ = [
    "Begun",
    "category_of",
    "check_new",
    "check_suite",
    "Clue",
    "CommitChange",
    "difficulty_of",
    "FileChange",
    "FILL_IN",
    "find_clues",
    "find_leaks",
    "Fitness",
    "fitness",
    "is_test_file",
    "Leak",
    "marked",
    "names_in",
    "needed_names",
    "new_task",
    "NewTask",
    "obstacle",
    "place_task",
    "prompt_of",
    "Split",
    "split_change",
    "task_document",
    "task_id_of",
    "task_toml",
    "texts_below",
    "untold_names",
]
