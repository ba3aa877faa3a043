from __future__ import annotations

import pytest
from pydantic import ValidationError

from issuebook.errors import StudyError
from issuebook.screening.keywords import Keyword, KeywordList, parse_keyword_list, union


def test_a_plain_file_gives_a_keyword_a_line_with_the_default_rule() -> None:
    read = parse_keyword_list("\ufeffllm\r\n\nfew shot  \n", "lists/pytorch.txt")
    assert read == KeywordList(keyword=(Keyword(text="llm"), Keyword(text="few shot")), name="pytorch")
    assert (read.keyword[0].case, read.keyword[0].left, read.keyword[0].right) == ("fold", "word", "word")


def test_a_toml_file_gives_every_rule() -> None:
    text = """\ufeff
        name = "torch"
        [[keyword]]
        text = "OPT"
        case = "exact"
        left = "any"
        right = "digits"
        specificity = "generic"
        note = "also a compiler flag"
        [[keyword]]
        text = "vLLM"
    """
    read = parse_keyword_list(text, "torch.toml")
    opt = Keyword(
        text="OPT", case="exact", left="any", right="digits", specificity="generic", note="also a compiler flag"
    )
    assert read == KeywordList(keyword=(opt, Keyword(text="vLLM")), name="torch")


def test_all_faults_of_a_list_come_at_once_with_the_nearest_valid_word() -> None:
    text = """
        titel = "x"
        [[keyword]]
        text = "  "
        [[keyword]]
        text = "gpt"
        right = "digit"
        case = "Exact"
        [[keyword]]
        rigth = "word"
        [[keyword]]
        text = "two\\nlines"
        left = "plural"
    """
    with pytest.raises(StudyError) as caught:
        parse_keyword_list(text, "k.toml")
    assert [str(fault) for fault in caught.value.faults] == [
        "k.toml: keyword[0].text: the keyword is empty. Give it a text or remove the entry.",
        "k.toml: keyword[1].case: 'Exact' is not a value. Did you mean 'exact'? Values: fold, exact.",
        "k.toml: keyword[1].right: 'digit' is not a value. Did you mean 'digits'? Values: word, digits, plural, any.",
        "k.toml: keyword[2].text: is absent. Every keyword needs a text.",
        "k.toml: keyword[2].rigth: no such key. Did you mean 'right'? "
        "Keys: text, case, left, right, specificity, note.",
        "k.toml: keyword[3].text: 'two\\nlines': holds a line break, tab or control character.",
        "k.toml: keyword[3].left: 'plural' is not a value. Values: word, any.",
        "k.toml: titel: no such key. Did you mean 'note'? Keys: keyword, name, note.",
    ]


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("[[keyword]", "k.toml", "k.toml: is not valid TOML"),
        ("name = 'x'", "k.toml", "k.toml: keyword: the list holds no keyword."),
        ("keyword = 3", "k.toml", "k.toml: keyword: 3: input should be a valid tuple."),
        ("[[keyword]]\ntext = 3", "k.toml", "k.toml: keyword[0].text: 3: input should be a valid string."),
        ("keyword = []", "k.toml", "k.toml: keyword: the list holds no keyword."),
        ("\n \n", "k.txt", "k.txt: holds no keyword. Write one keyword a line."),
        ("llm\na\tb\n", "k.txt", "k.txt: line 2: 'a\\tb': holds a line break, tab or control character."),
    ],
)
def test_a_list_that_cannot_be_read_says_where_and_why(text: str, where: str, message: str) -> None:
    with pytest.raises(StudyError) as caught:
        parse_keyword_list(text, where)
    assert str(caught.value).startswith(message)


def test_a_keyword_of_500_characters_is_accepted() -> None:
    assert parse_keyword_list("x" * 500, "k.txt").texts == ("x" * 500,)


def test_distinct_keeps_the_first_of_keywords_with_one_rule() -> None:
    words = [
        Keyword(text="llm"),
        Keyword(text="LLM"),
        Keyword(text="LLM", case="exact"),
        Keyword(text="Llm", case="exact"),
        Keyword(text="LLM", right="plural"),
        Keyword(text="LLM", specificity="specific"),
    ]
    kept = KeywordList(keyword=tuple(words)).distinct()
    assert kept.keyword == (words[0], words[2], words[3], words[4])


def test_a_union_holds_every_rule_once() -> None:
    a = parse_keyword_list("llm\nqwen", "a.txt")
    b = parse_keyword_list("Qwen\nbert", "b.txt")
    assert union([a, b], "both").texts == ("llm", "qwen", "bert")
    assert union([a, b], "both").name == "both"


def test_values_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        Keyword(text="llm").text = "gpt"  # type: ignore[misc]
