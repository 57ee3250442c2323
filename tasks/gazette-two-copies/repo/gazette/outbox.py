import json


def freeze(folder, copies, subject):
    """One file a copy. An outbox that is there already is never written again."""
    folder.mkdir(parents=True)
    for number, copy in enumerate(copies, 1):
        text = {
            "to": copy.address,
            "name": copy.name,
            "subject": f"{subject} ({copy.note})" if copy.note else subject,
            "edition": copy.language,
            "print": copy.printed,
        }
        (folder / f"{number:05}.json").write_text(json.dumps(text, ensure_ascii=False), "utf-8")
