"""T10: Keys of codes, for any codebook: none is a command's, and every code is three keys away."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.journeys.annotation.conftest import OpenPage

from issuebook.model.annotation import COMMANDS

pytestmark = pytest.mark.browser

CHARACTERS = [chr(code) for code in range(33, 127)]
OTHERS = ["Enter", "Backspace", "Escape", "Delete", "Insert", "F2", ""]

PROBLEMS = """
async ([themes, commands]) => {
  const { labelKeys } = await import('/static/keys.js');
  const taken = new Set(Object.values(commands).filter(Boolean));
  const lists = [themes.length, ...themes];
  return lists.flatMap((count) => {
    const keys = labelKeys(count, taken);
    const found = keys.length === count ? [] : [`${keys.length} keys for ${count} codes`];
    if (keys.some((key) => !key)) found.push(`no key for one of ${count}`);
    if (new Set(keys).size !== keys.length) found.push('two codes share a key');
    return found.concat(keys.filter((key) => taken.has(key)).map((key) => `${key} is a command`));
  });
}
"""
"""Faults of the keys of a codebook: for each list, the type's themes and each theme's sub-themes, one key a code."""


@pytest.fixture
def page(site: str, open_page: OpenPage) -> Any:
    return open_page(site)


@given(
    themes=st.lists(st.integers(0, 15), min_size=1, max_size=30),
    changed=st.dictionaries(st.sampled_from(sorted(COMMANDS)), st.sampled_from(CHARACTERS + OTHERS)),
)
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_codes_key_is_a_commands_key_for_any_codebook_up_to_30_by_15(
    page: Any, themes: list[int], changed: dict[str, str]
) -> None:
    assert page.evaluate(PROBLEMS, [themes, {**COMMANDS, **changed}]) == []


def test_the_first_ten_codes_have_digits(page: Any) -> None:
    script = "async () => (await import('/static/keys.js')).labelKeys(12, new Set(['a']))"
    assert "".join(page.evaluate(script)) == "1234567890bc"
