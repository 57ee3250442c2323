"""Make judged_answers.csv and labelled_answers.csv from a clone of github.com/WeOpenML/PandaLM.

Pairs of two models' answers to one instruction: three people and two judges said which of the two
is better. Here a trial is the first answer of a pair, and the question is whether it is the better.

    python data/make_judged_answers.py PATH_OF_CLONE
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
PAIRS = 400
RUBRIC = "the first answer is the better one"
JUDGES = {
    "gpt-3.5-turbo": ("gpt-3.5-turbo-testset-v1.json", "gpt_result"),
    "pandalm-7b": ("pandalm-7b-testset-v1.json", "pandalm_result"),
}


def main(clone: Path) -> None:
    """Write both files: a random part of the pairs, no texts."""
    people = pd.DataFrame(json.loads((clone / "data/testset-v1.json").read_text("utf-8")))
    chosen = np.sort(np.random.default_rng(0).choice(len(people), PAIRS, replace=False))
    people = people.iloc[chosen]
    ids = {
        "run_id": "pandalm",
        "trial_id": [f"pair-{i:03d}" for i in people["idx"]],
    }
    labels = [
        pd.DataFrame(
            ids | {"annotator": f"person {i}", "passed": (people[f"annotator{i}"] == 1).to_numpy()}
        )
        for i in (1, 2, 3)
    ]
    judged = []
    for judge, (file, key) in JUDGES.items():
        said = pd.DataFrame(json.loads((clone / "data" / file).read_text("utf-8")))
        said = said.set_index("idx")[key].astype(str).reindex(people["idx"])
        judged.append(
            pd.DataFrame(
                ids
                | {
                    "task_id": people["motivation_app"].to_numpy(),
                    "arm": people["cmp_key"].str.partition("_")[0].to_numpy(),
                    "rubric": RUBRIC,
                    "judge": judge,
                    "score": (said == "1").to_numpy(float),
                }
            )
        )
    pd.concat(judged).to_csv(HERE / "judged_answers.csv", index=False, lineterminator="\n")
    pd.concat(labels).to_csv(HERE / "labelled_answers.csv", index=False, lineterminator="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
