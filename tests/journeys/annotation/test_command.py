"""``issuebook annotate``: it says where it is, lets nobody in who should not be, and ends when told to."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.web_site import bench_with_team, with_passwords
from tests.workbench_study import write_study

ENVIRONMENT = {**os.environ, "PYTHONPATH": "src", "NO_COLOR": "1"}


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "issuebook", "annotate", "--no-browser", "--quiet", *map(str, arguments)]


@contextmanager
def started(*arguments: object) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        command(*arguments), env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            found = re.fullmatch(r"Annotate at (http://[^ ]+/) \(Ctrl\+C ends it\)\n", line)
            assert found, (line, process.poll())
            yield process, found[1]
        finally:
            process.kill()


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_it_tells_its_address_serves_and_ends_without_a_word(tmp_path: Path, sign: signal.Signals) -> None:
    write_study(tmp_path, 3)
    with started(tmp_path, "--port", 0) as (process, address):
        answer = httpx.get(f"{address}people")
        assert answer.status_code == 200
        assert "A test" in answer.text
        process.send_signal(sign)
        output, errors = process.communicate(timeout=20)
        assert (output, errors) == ("", "")
        assert process.returncode in {0, -sign}


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)


def test_a_taken_port_is_told_with_what_to_do(tmp_path: Path) -> None:
    write_study(tmp_path, 3)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run(tmp_path, "--port", taken.getsockname()[1])
    assert done.returncode == 2
    assert "cannot be listened on: Address already in use. Choose another" in done.stderr


def test_without_passwords_it_listens_to_nobody_else(tmp_path: Path) -> None:
    write_study(tmp_path, 3)
    done = run(tmp_path, "--host", "0.0.0.0", "--port", 0)  # noqa: S104 - that is what is refused
    assert done.returncode == 2
    assert "nobody has a password yet" in done.stderr


def test_with_passwords_it_listens_and_everybody_signs_in(tmp_path: Path) -> None:
    with_passwords(bench_with_team(tmp_path))
    with started(tmp_path, "--host", "0.0.0.0", "--port", 0) as (_, address):  # noqa: S104 - with passwords it may
        port = address.rstrip("/").rpartition(":")[2]
        assert httpx.get(f"http://127.0.0.1:{port}/people").headers["location"] == "/sign-in?next=/people"
        assert httpx.get(f"http://127.0.0.1:{port}/sign-in", headers={"host": "evil.example"}).status_code == 421


def test_a_study_without_annotation_says_what_to_add(tmp_path: Path) -> None:
    write_study(tmp_path, 3)
    (tmp_path / "study.toml").write_text('[study]\ntitle = "x"\n[[ratings]]\nfiles = "*.csv"\n')
    done = run(tmp_path)
    assert done.returncode == 2
    assert "[annotation]" in done.stderr
