"""Workflows: pinned actions, and no right beyond what a job needs."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PINNED = re.compile(r"^[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")


def jobs_of(path):
    """Return the jobs of a workflow, each with the rights that it has."""
    workflow = yaml.safe_load(path.read_text("utf-8"))
    shared = workflow["permissions"]
    return {
        name: job | {"permissions": job.get("permissions", shared)}
        for name, job in workflow["jobs"].items()
    }


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_named_by_digest_and_version(path):
    used = re.findall(r"uses: (.*)", path.read_text("utf-8"))
    assert [action for action in used if not PINNED.match(action)] == []
    assert used


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_what_runs_code_can_write_nothing(path):
    """Who may publish runs one action and no program."""
    for name, job in jobs_of(path).items():
        if "write" in job["permissions"].values():
            assert not any("run" in step for step in job["steps"]), name
            assert "checkout" not in str(job["steps"]), name
        assert job["timeout-minutes"] <= 90, name


def test_main_is_tested_once():
    runs = [
        (path.name, name)
        for path in WORKFLOWS
        if "push:" in path.read_text("utf-8")
        for name, job in jobs_of(path).items()
        if any(step.get("run") == ".ci/run" for step in job["steps"])
    ]
    assert runs == [("book.yml", "test")]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_no_host_is_named(path):
    """Clients know where packages are; whoever has a mirror tells them."""
    assert "://" not in path.read_text("utf-8")
