import csv

from .model import Copy


def read_people(path):
    with open(path, newline="", encoding="utf-8-sig") as file:
        return [
            Copy(
                row["name"],
                row["address"],
                row["household"],
                row["one_copy"] == "yes",
                row["language"],
            )
            for row in csv.DictReader(file)
        ]


def read_column(path, column):
    with open(path, newline="", encoding="utf-8") as file:
        return [row[column] for row in csv.DictReader(file)]
