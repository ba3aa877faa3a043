"""Who may open which route, and what every request and answer must carry."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from fastapi.routing import APIRoute
from tests.web_site import HOST, Visitor, bench_with_team, token_in, visitor, with_passwords

from issuebook.app.annotate.people import local_person, set_password
from issuebook.app.annotate.workbench import Workbench
from issuebook.app.ports import Units
from issuebook.web.access import Rule, anybody
from issuebook.web.application import create_app
from issuebook.web.guard import LARGEST_BODY
from issuebook.web.signing_in import own_path
from issuebook.web.site import SiteSettings

FORM = "application/x-www-form-urlencoded"
OPEN = {("/sign-in", "GET"), ("/sign-in", "POST"), ("/join", "GET"), ("/join", "POST"), ("/static/{name}", "GET")}
"""The only routes for people who have not signed in."""

EVERYBODY = {"ann", "jo", "rea", "cora"}
LABELLERS, JUDGES, OBSERVERS, LEADERS = {"ann"}, {"jo", "cora"}, {"jo", "rea", "cora"}, {"cora"}
MAY = {
    ("/", "GET"): EVERYBODY,
    ("/sign-out", "POST"): EVERYBODY,
    ("/account", "GET"): EVERYBODY,
    ("/account/password", "POST"): EVERYBODY,
    ("/codebook", "GET"): EVERYBODY,
    ("/codebook/code", "GET"): EVERYBODY,
    ("/codebook/report", "GET"): EVERYBODY,
    ("/codebook/history", "GET"): EVERYBODY,
    ("/codebook/diff", "GET"): EVERYBODY,
    ("/codebook/diff/{form}", "GET"): EVERYBODY,
    ("/codebook/edit", "GET"): LEADERS,
    ("/codebook/edit", "POST"): LEADERS,
    ("/codebook/release", "GET"): LEADERS,
    ("/codebook/release", "POST"): LEADERS,
    ("/codebook/proposals", "GET"): LEADERS,
    ("/codebook/proposals", "POST"): LEADERS,
    ("/codebook/proposals/group", "GET"): LEADERS,
    ("/codebook/worklist", "GET"): LABELLERS,
    ("/codebook/worklist", "POST"): LABELLERS,
    ("/search", "GET"): EVERYBODY,
    ("/label", "GET"): LABELLERS,
    ("/label/unsaved", "GET"): EVERYBODY,
    ("/label/next", "GET"): LABELLERS,
    ("/label/unit", "GET"): LABELLERS,
    ("/label/token", "GET"): LABELLERS,
    ("/label/recent", "GET"): LABELLERS,
    ("/label/choices", "POST"): LABELLERS,
    ("/label/skips", "POST"): LABELLERS,
    ("/label/undo", "POST"): LABELLERS,
    ("/label/release", "POST"): LABELLERS,
    ("/adjudicate", "GET"): JUDGES,
    ("/adjudicate/unit", "GET"): JUDGES,
    ("/adjudicate/unit", "POST"): JUDGES,
    ("/dashboard", "GET"): OBSERVERS,
    ("/rounds", "GET"): LEADERS,
    ("/rounds/export", "GET"): LEADERS,
    ("/rounds/open", "POST"): LEADERS,
    ("/rounds/new", "POST"): LEADERS,
    ("/rounds/close", "POST"): LEADERS,
    ("/people", "GET"): LEADERS,
    ("/people", "POST"): LEADERS,
    ("/people/roles", "POST"): LEADERS,
    ("/people/password", "POST"): LEADERS,
    ("/people/invitations", "POST"): LEADERS,
    ("/people/invitations/end", "POST"): LEADERS,
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    return with_passwords(bench_with_team(tmp_path_factory.mktemp("study")))


def routes(bench: Workbench) -> Iterator[tuple[APIRoute, str]]:
    for route in create_app(bench, SiteSettings()).routes:
        assert isinstance(route, APIRoute), f"{route} stands in the table without a rule"
        for method in route.methods or ():
            yield route, method


def test_every_route_names_who_may_use_it_and_the_table_here_knows_them_all(bench: Workbench) -> None:
    table = {(route.path, method) for route, method in routes(bench)}
    assert table == OPEN | MAY.keys()
    for route, method in routes(bench):
        rules = [found.call for found in route.dependant.dependencies if isinstance(found.call, Rule)]
        if (route.path, method) not in OPEN:
            assert [rule.roles is not None for rule in rules] == [True], route.path
        elif not rules:
            assert method == "GET"
            assert [found.call for found in route.dependant.dependencies] == [anybody]


@pytest.mark.parametrize("name", ["", *sorted(EVERYBODY)])
def test_every_route_lets_in_exactly_those_roles(bench: Workbench, name: str) -> None:
    caller = visitor(bench, name, loopback=False)
    for place in sorted(MAY, key=lambda place: place[0] == "/sign-out"):
        answer = ask(caller, *place)
        if not name:
            assert answer in {303, 401}, place
        elif name in MAY[place]:
            assert answer not in {401, 403}, place
        else:
            assert answer == 403, place


def ask(caller: Visitor, path: str, method: str) -> int:
    """Return the status of a request with a good token and no fields."""
    if method == "GET":
        return caller.get(path.replace("{name}", "style.css")).status_code
    return caller.post(path, headers={"x-csrf-token": caller.csrf, "accept": "application/json"}).status_code


def test_who_has_not_signed_in_is_led_to_the_form_and_back(bench: Workbench) -> None:
    caller = visitor(bench, loopback=False)
    answer = caller.get("/codebook?x=1")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/codebook%3Fx%3D1")
    page = caller.read(answer.headers["location"])
    fields = {"csrf": token_in(page), "name": "ann", "password": "correct horse battery", "next": "/codebook?x=1"}
    answer = caller.post("/sign-in", data=fields)
    assert (answer.status_code, answer.headers["location"]) == (303, "/codebook?x=1")


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x", "/a\nb"]
)
def test_signing_in_leads_nowhere_else(target: str) -> None:
    assert own_path(target) == "/"


def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(bench: Workbench) -> None:
    caller = visitor(bench, loopback=False)
    caller.read("/sign-in")
    fields = {"csrf": caller.csrf, "name": "ann", "password": "correct horse battery"}
    cookie = caller.post("/sign-in", data=fields).headers["set-cookie"]
    assert cookie.startswith("issuebook-session-8765=")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))


@pytest.mark.parametrize("sent", ["", "wrong", "of somebody else"])
def test_nothing_changes_without_the_form_token_of_the_caller(bench: Workbench, sent: str) -> None:
    caller = visitor(bench, "cora", loopback=False)
    token = visitor(bench, "jo", loopback=False).csrf if sent == "of somebody else" else sent
    for (path, method), people in MAY.items():
        if method == "POST" and "cora" in people:
            assert caller.post(path, data={"csrf": token}).status_code == 403, path
    assert caller.post("/sign-in", data={"csrf": token, "name": "ann", "password": "x"}).status_code == 403


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "http://127.0.0.1:1", f"http://{HOST}.evil"])
def test_nothing_changes_for_pages_of_other_sites(bench: Workbench, origin: str | None) -> None:
    caller = visitor(bench, "cora", loopback=False)
    del caller.headers["origin"]
    headers = {"x-csrf-token": caller.csrf} | ({"origin": origin} if origin else {})
    assert caller.post("/people", headers=headers, data={"new": "eve", "name": "Eve"}).status_code == 403


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("127.0.0.1:8765", True),
        ("localhost:8765", True),
        ("[::1]:8765", True),
        ("192.168.0.7:8765", True),
        ("workbench.example:8765", True),
        ("evil.example:8765", False),
        ("127.0.0.1.evil.example", False),
        ("", False),
        ("[::1", False),
    ],
)
def test_only_known_host_names_are_answered(bench: Workbench, host: str, known: bool) -> None:
    app = create_app(bench, SiteSettings(names=frozenset({"workbench.example"})))
    answer = Visitor(app).get("/static/style.css", headers={"host": host})
    assert answer.status_code == (200 if known else 421)


@pytest.mark.parametrize(
    ("site", "mode", "target", "status"),
    [
        ("same-origin", "cors", "empty", 200),
        ("none", "navigate", "document", 200),
        ("cross-site", "navigate", "document", 200),
        ("cross-site", "navigate", "iframe", 403),
        ("cross-site", "no-cors", "image", 403),
        ("same-site", "cors", "empty", 403),
    ],
)
def test_pages_of_other_sites_fetch_nothing(bench: Workbench, site: str, mode: str, target: str, status: int) -> None:
    headers = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": target}
    assert visitor(bench, loopback=False).get("/sign-in", headers=headers).status_code == status


def test_what_is_sent_is_capped(bench: Workbench) -> None:
    caller = visitor(bench, "ann", loopback=False)
    token = {"x-csrf-token": caller.csrf, "content-type": FORM}
    assert caller.post("/label/undo", headers=token, content=b"x" * (LARGEST_BODY + 1)).status_code == 413
    assert caller.post("/label/undo", headers=token, content=iter([b"x"])).status_code == 411


@pytest.mark.parametrize("path", ["/label", "/label/next?round=main", "/static/label.js", "/nowhere", "/sign-in"])
def test_every_answer_carries_the_strict_headers(bench: Workbench, path: str) -> None:
    headers = visitor(bench, "ann", loopback=False).get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == ("no-cache" if path.startswith("/static") else "no-store")
    assert "server" not in headers


class BrokenUnits:
    """Units whose home has a bug."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError("secret of the database")


@pytest.mark.parametrize("path", ["/label", "/label/next?round=main", "/search?q=x"])
def test_a_bug_is_answered_with_strict_headers_with_what_to_do_and_with_nothing_of_itself(
    tmp_path: Path, path: str
) -> None:
    bench = with_passwords(bench_with_team(tmp_path))
    caller = visitor(bench, "ann", loopback=False)
    good = caller.get("/account").headers
    bench.services = replace(bench.services, units=cast(Units, BrokenUnits()))
    caller = Visitor(caller.app, raises=False, cookies=caller.cookies)
    for accept in ("text/html", "application/json"):
        answer = caller.get(path, headers={"accept": accept})
        assert answer.status_code == 500
        strict = {name: value for name, value in good.items() if name not in {"content-length", "content-type"}}
        assert {name: answer.headers.get(name) for name in strict} == strict
        assert "Go back and try once more" in answer.text
        assert not {"secret", "RuntimeError", "Traceback"} & set(re.findall(r"\w+", answer.text))


def test_wrong_passwords_are_refused_without_telling_which_part_is_wrong_and_then_not_looked_at(tmp_path: Path) -> None:
    bench = with_passwords(bench_with_team(tmp_path))
    caller = visitor(bench, loopback=False)
    told = set()
    for name, password in (("ann", "not it, no"), ("nobody", "correct horse battery")):
        page = caller.read("/sign-in")
        told.add(
            caller.post("/sign-in", data={"csrf": token_in(page), "name": name, "password": password}).text.count(
                "do not fit"
            )
        )
    assert told == {1}
    assert {caller.sign_in("ann", "wrong password") for _ in range(10)} == {401}
    assert caller.sign_in("ann") == 401


def test_no_secret_stands_in_an_address_and_values_that_were_sent_are_not_repeated(bench: Workbench) -> None:
    caller = visitor(bench, "cora", loopback=False)
    assert caller.csrf not in caller.get("/people").headers.get("location", "")
    answer = caller.post("/people/password", data={"csrf": caller.csrf, "whom": "ann", "password": "geheim" * 200})
    assert answer.status_code == 422
    assert "geheim" not in answer.text


def test_on_loopback_one_person_needs_no_password_until_somebody_has_one(tmp_path: Path) -> None:
    bench = bench_with_team(tmp_path)
    caller = visitor(bench)
    assert "People" in caller.read("/people")
    assert visitor(bench, loopback=False).get("/people").status_code == 303
    assert caller.get("/people", headers={"x-forwarded-for": "10.0.0.9"}).status_code == 303
    assert caller.get("/people", headers={"host": "10.0.0.1:8765"}).status_code == 303
    others_first = caller.post("/people/password", data={"csrf": caller.csrf, "whom": "ann", "password": "p" * 12})
    assert "Set your own, then those of others" in others_first.text
    set_password(bench, boss := local_person(bench), boss, "p" * 12)
    assert caller.get("/people").status_code == 303


def test_who_lost_the_last_role_is_out_at_once(tmp_path: Path) -> None:
    bench = with_passwords(bench_with_team(tmp_path))
    ann, cora = visitor(bench, "ann"), visitor(bench, "cora")
    assert cora.post("/people/roles", data={"csrf": cora.csrf, "whom": "ann"}).status_code == 303
    assert ann.get("/label").status_code == 303
    assert visitor(bench).sign_in("ann") == 401


def test_signing_out_ends_the_session(bench: Workbench) -> None:
    caller = visitor(bench, "ann", loopback=False)
    cookies = dict(caller.cookies)
    caller.post("/sign-out", data={"csrf": caller.csrf})
    caller.cookies.update(cookies)
    assert caller.get("/account").status_code == 303
