# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what was compared, in one line at the end; a run of all tests fails if that is too little."""

import collections

import pytest

COUNTS = collections.Counter()
# What a run of all tests compares at least.
FLOORS = {"exports": 20, "calls": 74, "old exports": 35, "old refusals": 30, "networks": 25, "shapes": 200,
          "refusals": 113, "gradients": 27, "exported gradients": 24, "steps": 100, "ops": 3, "uses": 124,
          "versions": 30}
GIVEN_FLOORS = {"given exports": 16, "given results": 223, "given refusals": 13}  # if they are there


@pytest.fixture
def count():
    """Adds to a number: count("calls"), count("refusals", 3)."""
    def add(name, number=1):
        COUNTS[name] += number
    return add


def pytest_configure(config):
    config.is_whole = not config.option.keyword and not any("::" in one or one.endswith(".py") for one in config.args)


def floors():
    return FLOORS | (GIVEN_FLOORS if COUNTS["given exports"] else {})


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    if exitstatus == 0 and session.config.is_whole and any(COUNTS[name] < least for name, least in floors().items()):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    counts = ", ".join(f"{COUNTS[name]} {name}" for name in [*GIVEN_FLOORS, *FLOORS] if COUNTS[name])
    terminalreporter.write_line(f"beside JAX: {counts or 'nothing'}")
    if config.is_whole:
        for name, least in floors().items():
            if COUNTS[name] < least:
                terminalreporter.write_line(f"expected at least {least} {name}, but got {COUNTS[name]}", red=True)
