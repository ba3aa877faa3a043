"""A PostgreSQL server for tests: in a folder of its own, on a socket there, gone at the end."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class NoPostgresError(Exception):
    """Why there is no server."""


@contextmanager
def running_server(*, durable: bool = False) -> Iterator[str]:
    """Give the address of a server's socket folder; it refuses to run as root, so another user runs it then.

    Tests do without waiting for the disk; who measures wants it ``durable``.
    """
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not programs:
        raise NoPostgresError("needs PostgreSQL's server programs (Debian: postgresql)")
    programs_folder = programs[-1].parent
    folder = Path(tempfile.mkdtemp(prefix="ib-pg-", dir="/tmp"))  # a socket's path is short
    user = _other_user(folder)
    try:
        _run(user, programs_folder / "initdb", "-D", folder / "data", "-U", "tests", "-A", "trust", "-N", "-E", "UTF8")
        settings = f"-k {folder} -c listen_addresses='' -c fsync={'on' if durable else 'off'} -c max_connections=40"
        _run(
            user, programs_folder / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log", "-o", settings, "start"
        )
        try:
            yield str(folder)
        finally:
            _run(user, programs_folder / "pg_ctl", "-D", folder / "data", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _other_user(folder: Path) -> list[str]:
    if os.geteuid() != 0:
        return []
    name = next((name for name in ("postgres", "nobody") if _exists(name)), None)
    if name is None:
        raise NoPostgresError("PostgreSQL does not run as root, and there is no other user")
    account = pwd.getpwnam(name)
    os.chown(folder, account.pw_uid, account.pw_gid)
    folder.chmod(0o755)
    return ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]


def _exists(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _run(user: list[str], *command: object) -> None:
    done = subprocess.run(
        [*user, *map(str, command)],
        cwd="/",
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise NoPostgresError(f"{command[0]}: {done.stderr}")
