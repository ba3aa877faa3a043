"""Joining by a link, through the pages: the secret stands in no address, cookie or log, and nothing of it is kept."""

import logging
import re
from html import unescape
from pathlib import Path

import pytest
from tests.web_site import HOST, PASSWORD, Visitor, bench_with_team, token_in, visitor, with_passwords

from issuebook.app.annotate.workbench import Workbench
from issuebook.web.application import create_app
from issuebook.web.site import SiteSettings

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return with_passwords(bench_with_team(tmp_path))


def link_of(bench: Workbench, **fields: object) -> str:
    """A link that the coordinator just made."""
    cora = visitor(bench, "cora", loopback=False)
    answer = cora.post("/people/invitations", data={"csrf": cora.csrf, "role": "annotator", **fields})
    assert answer.status_code == 200, answer.text
    found = re.search(r'<code id="link">([^<]+)</code>', answer.text)
    assert found is not None
    return unescape(found[1])


def sent(caller: Visitor, token: str, **fields: str) -> dict[str, str]:
    page = caller.read("/join")
    return {"csrf": token_in(page), "token": token, "name": "dana", "password": PASSWORD, "again": PASSWORD, **fields}


def test_a_link_is_shown_once_and_leads_in(bench: Workbench, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    link = link_of(bench, team="north")
    address, _, secret = link.partition("#")
    assert address == f"http://{HOST}/join"
    assert len(secret) >= 43
    assert secret not in visitor(bench, "cora", loopback=False).read("/people")
    caller = visitor(bench, loopback=False)
    answer = caller.post("/join", data=sent(caller, secret))
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert {"HttpOnly", "SameSite=strict"} <= set(answer.headers["set-cookie"].split("; "))
    assert secret not in f"{answer.headers}{caplog.text}"
    assert caller.get("/").headers["location"] == "/label"
    assert caller.get("/join").headers["location"] == "/"
    people = visitor(bench, "cora", loopback=False).read("/people")
    assert "used up" in people
    assert 'value="north"' in people


def test_the_whole_link_may_be_pasted_where_no_script_runs(bench: Workbench) -> None:
    caller = visitor(bench, loopback=False)
    page = caller.read("/join")
    assert 'id="by-hand" class="stack">' in page
    answer = caller.post("/join", data=sent(caller, f" {link_of(bench)}\n"))
    assert answer.status_code == 303


def test_what_is_wrong_is_told_and_the_form_can_be_sent_again(bench: Workbench) -> None:
    secret, caller = link_of(bench).partition("#")[2], visitor(bench, loopback=False)
    for fields, told in (
        ({"name": "ann"}, "is called so already"),
        ({"password": "short", "again": "short"}, "10 to 500"),
        ({"again": "another password"}, "not the same"),
        ({"name": HOSTILE * 3}, "printable"),
    ):
        answer = caller.post("/join", data=sent(caller, secret, **fields))
        assert (answer.status_code, told in answer.text) == (422, True), told
        assert f'value="{secret}"' in answer.text
        repeated = ("short", "another password", "<script>alert", "<img")
        assert [text for text in repeated if text in answer.text] == []
    assert caller.post("/join", data=sent(caller, secret)).status_code == 303


def test_a_secret_that_opens_nothing_is_refused_and_not_shown_again(bench: Workbench) -> None:
    caller = visitor(bench, loopback=False)
    answer = caller.post("/join", data=sent(caller, "guessed-secret"))
    assert answer.status_code == 401
    assert "Ask the coordinator for a new link" in answer.text
    assert "guessed-secret" not in answer.text


def test_nobody_joins_without_the_form_of_this_visit_or_by_an_address(bench: Workbench) -> None:
    secret, caller = link_of(bench).partition("#")[2], visitor(bench, loopback=False)
    assert caller.post("/join", data={**sent(caller, secret), "csrf": "wrong"}).status_code == 403
    other = Visitor(create_app(bench, SiteSettings(loopback=False)))
    assert other.post("/join", data=sent(caller, secret)).status_code == 403
    assert caller.post(f"/join?token={secret}", data={"csrf": caller.csrf}).status_code == 422
    assert secret not in caller.read("/join")


@pytest.mark.parametrize(
    "fields",
    [{"role": []}, {"uses": "0"}, {"uses": "many"}, {"days": "9999999999"}, {"team": "a\nb"}, {"role": "owner"}],
)
def test_an_invitation_that_cannot_be_is_refused(bench: Workbench, fields: dict[str, object]) -> None:
    cora = visitor(bench, "cora", loopback=False)
    answer = cora.post("/people/invitations", data={"csrf": cora.csrf, "role": "annotator", **fields})
    assert answer.status_code == 422
    assert 'id="link"' not in answer.text


def test_a_link_taken_back_opens_nothing_and_hostile_names_are_texts(bench: Workbench) -> None:
    secret = link_of(bench, team=HOSTILE, uses=2).partition("#")[2]
    caller = visitor(bench, loopback=False)
    assert caller.post("/join", data=sent(caller, secret, name=HOSTILE)).status_code == 303
    cora = visitor(bench, "cora", loopback=False)
    for path in ("/people", "/rounds", "/dashboard?round=main"):
        text = cora.read(path)
        assert "<script>alert" not in text
        assert "<img" not in text
    assert cora.post("/people/invitations/end", data={"csrf": cora.csrf, "invitation": "1"}).status_code == 303
    assert "taken back" in cora.read("/people")
    late = visitor(bench, loopback=False)
    assert late.post("/join", data=sent(late, secret)).status_code == 401
    unknown = cora.post("/people/invitations/end", data={"csrf": cora.csrf, "invitation": "7"})
    assert unknown.status_code == 404
