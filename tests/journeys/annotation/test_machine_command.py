"""``issuebook annotate-machine`` as a person types it, against an endpoint on this machine."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.model_endpoint import Does, Handler, ModelServer, endpoint, labels, says
from tests.workbench_study import MovedClock, bench_of, opened, team, write_study

TOKEN = "a-token-for-the-machine"  # noqa: S105 - it opens nothing


@pytest.fixture
def study(tmp_path: Path) -> Path:
    folder = tmp_path / "study"
    write_study(folder, units=6)
    bench = bench_of(folder, MovedClock())
    opened(bench, team(bench, "ada", "ben"))
    bench.close()
    return folder


def command(study: Path, server: ModelServer | None, *more: str) -> subprocess.Popen[str]:
    host = [] if server is None else [f"127.0.0.1:{server.server_port}={TOKEN}"]
    environment = {**os.environ, "PYTHONPATH": "src", "NO_COLOR": "1", "ISSUEBOOK_TOKENS": " ".join(host)}
    where = [] if server is None else ["--endpoint", server.address]
    arguments = [sys.executable, "-m", "issuebook", "annotate-machine", str(study), "--model", "m", "-q", *where, *more]
    return subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    output, errors = process.communicate(timeout=120)
    assert "Traceback" not in errors, errors
    assert TOKEN not in output + errors
    return process.returncode, output, errors


def stuck(reached: threading.Event) -> Does:
    def wait(handler: Handler) -> None:
        reached.set()
        time.sleep(60)

    return wait


def test_killed_in_the_middle_it_goes_on_and_pays_for_no_answer_twice(study: Path) -> None:
    reached = threading.Event()
    with endpoint(says(labels("A.1")), says(labels("A.2")), stuck(reached), says(labels("B.1"))) as server:
        process = command(study, server)
        assert reached.wait(60)
        process.kill()
        process.communicate()  # closes its pipes
        code, output, _ = finish(command(study, server, "--json"))
        done = json.loads(output)
        assert (code, done["labelled"], done["labelled_before"], done["questions"]) == (0, 4, 2, 4)
        assert len(server.questions) == 7  # six units, and the one that was on its way when the program was killed
        asked = [question["messages"][1]["content"] for question in server.questions]
        assert sorted(asked.count(text) for text in set(asked)) == [1, 1, 1, 1, 1, 2]
        code, output, _ = finish(command(study, server, "--json"))
        assert (code, json.loads(output)["questions"], len(server.questions)) == (0, 0, 7)


def test_it_tells_units_tokens_cost_and_what_could_not_be_used(study: Path) -> None:
    with endpoint(*[says(labels("Z.9"))] * 3, says(labels())) as server:
        code, output, _ = finish(command(study, server, "--price-read", "2", "--price-written", "10"))
    assert code == 3
    assert "5 units labelled" in output
    assert "8 answers came, 0 were there already: 800 tokens read, 80 written." in output
    assert "Cost of this run: 0.0024" in output
    assert "no usable answer: github:" in output
    assert "no code 'Z.9'" in output


def test_a_dry_run_sends_nothing_and_a_replay_needs_no_network(study: Path) -> None:
    with endpoint(says(labels())) as server:
        code, output, _ = finish(command(study, server, "--dry-run"))
        assert (code, server.questions) == (0, [])
        assert "6 questions" in output
        assert "--- system" in output
        code, output, _ = finish(command(study, None, "--replay"))
        assert (code, "6 units have no kept answer" in output) == (3, True)
        assert finish(command(study, server))[0] == 0
    code, output, _ = finish(command(study, None, "--replay", "--as", "again", "--json"))
    assert (code, json.loads(output)["labelled"], json.loads(output)["questions"]) == (0, 6, 0)


def test_what_is_missing_or_unsafe_is_told(study: Path, tmp_path: Path) -> None:
    code, _, errors = finish(command(study, None))
    assert (code, "say where the model answers" in errors) == (2, True)
    environment = {**os.environ, "PYTHONPATH": "src", "ISSUEBOOK_TOKENS": f"models.example={TOKEN}"}
    arguments = ["annotate-machine", str(study), "--model", "m", "--endpoint", "http://models.example/v1"]
    done = subprocess.run(
        [sys.executable, "-m", "issuebook", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "sent there unencrypted" in done.stderr, TOKEN in done.stderr) == (2, True, False)
