"""Tasks that bring an image: named, or built from environment/Dockerfile."""

import pytest

from agenteval.suite import load_suite

DOCKERFILE = "one/environment/Dockerfile"


def load(bench):
    return load_suite(bench.folder).tasks[0]


def test_a_task_without_one(bench):
    bench.task()
    task = load(bench)
    assert (task.has_image, task.task.image, task.dockerfile) == (False, None, None)


@pytest.mark.parametrize("name", ["debian:12", "localhost/a/b:1", "r.example:5000/a@sha256:00ff"])
def test_a_named_image(bench, name):
    bench.task(keys=f'image = "{name}"')
    task = load(bench)
    assert (task.has_image, task.task.image, task.dockerfile) == (True, name, None)


def test_a_dockerfile(bench):
    folder = bench.task()
    bench.write(DOCKERFILE, "FROM debian:12\n")
    task = load(bench)
    assert (task.has_image, task.dockerfile) == (True, folder / "environment/Dockerfile")


def test_every_file_beside_the_dockerfile_is_part_of_the_digest(bench):
    bench.task()
    bench.write(DOCKERFILE, "FROM debian:12\nCOPY tool /opt/tool\n")
    seen = [load(bench).digest]
    for path, text in (
        (DOCKERFILE, "FROM debian:12\nCOPY tool /tool\n"),
        ("one/environment/tool", "a"),
        ("one/environment/tool", "b"),
    ):
        bench.write(path, text)
        seen.append(load(bench).digest)
    (bench.folder / "one/environment/tool").chmod(0o755)
    seen.append(load(bench).digest)
    assert len(set(seen)) == len(seen)


def test_a_suites_image_is_for_tasks_without_a_dockerfile(bench):
    bench.write("suite.toml", '[defaults]\nimage = "debian:12"\n')
    bench.task()
    assert load(bench).task.image == "debian:12"
    bench.write(DOCKERFILE, "FROM debian:13\n")
    task = load(bench)
    assert (task.has_image, task.task.image) == (True, None)


def test_two_images_are_one_too_many(bench):
    bench.task(keys='image = "debian:12"')
    bench.write(DOCKERFILE, "FROM debian:12\n")
    error = bench.problem()
    assert "two images" in error.what
    assert error.where.endswith("one/task.toml, key image")


def test_a_folder_of_which_nothing_would_be_made(bench):
    bench.task()
    bench.write("one/environment/Containerfile", "FROM debian:12\n")
    error = bench.problem()
    assert "no Dockerfile" in error.what
    assert "add environment/Dockerfile" in error.fix


def test_only_the_network_of_a_dockerfile(bench):
    bench.task(keys="environment = { network = true }")
    bench.write(DOCKERFILE, "FROM debian:12\nRUN apt-get update\n")
    task = load(bench)
    assert task.task.environment.network
    assert task.task.environment.build == []


def test_what_lies_in_environment_must_be_of_the_task(bench):
    bench.task()
    bench.write(DOCKERFILE, "FROM debian:12\n")
    (bench.folder / "one/environment/link").symlink_to("/etc/passwd")
    assert "symbolic link" in bench.problem().what
