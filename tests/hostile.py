"""Texts that try to run scripts, to load what is elsewhere, or to break out of where they stand."""

import re
from html.parser import HTMLParser

HOSTILE = (
    "<script>alert(1)</script>",
    "<script src=https://evil.example/x.js></script>",
    "<img src=x onerror=alert(1)>",
    "<img src=https://evil.example/pixel.png>",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<math><mi xlink:href=javascript:alert(1)>x</mi></math>",
    "<style>@import 'https://evil.example/x.css';</style>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<base href=https://evil.example/>",
    "<form action=https://evil.example/><input name=csrf></form>",
    "<body onload=alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "<details open ontoggle=alert(1)>",
    '"><script>alert(1)</script>',
    "'\"--></title></textarea></script><script>alert(1)</script>",
    "]]><script>alert(1)</script>",
    "{{ 7 * 7 }}{% raw %}${7*7}<%= 7*7 %>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    '[x](https://evil.example/"onmouseover="alert(1))',
    "[x](<https://evil.example/ onmouseover=alert(1)>)",
    "![pixel](https://evil.example/pixel.png)",
    '![a"onerror="alert(1)](https://evil.example/p.png)',
    "<https://evil.example/<script>alert(1)</script>>",
    '[ref]: https://evil.example/ "onclick=alert(1)"\n\n[ref]',
    "```html\n<script>alert(1)</script>\n```",
    "`<img src=x onerror=alert(1)>`",
    "| a | b |\n|---|---|\n| <script>alert(1)</script> | ![p](https://evil.example/p.png) |",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\ue000<script>\ue001alert(1)",
    "\u202egnp.tcepsni\u202c",
    "<!--><script>alert(1)</script>-->",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "\x00<scr\x00ipt>alert(1)</scr\x00ipt>",
    "java\u2028script:alert(1)",
    '<p style="background:url(https://evil.example/x)">x</p>',
    '<meta http-equiv=refresh content="0;url=https://evil.example/">',
    "<object data=https://evil.example/></object><embed src=https://evil.example/>",
)

ALLOWED = {
    *("p", "strong", "em", "s", "del", "code", "pre", "blockquote", "ul", "ol", "li", "br", "hr", "h2", "mark", "span"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
_SPAN = {"class": "outside", "role": "link", "tabindex": "0"}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        address = given.pop("data-to", None)
        if tag not in ALLOWED:
            self.found.append(f"element {tag}")
        if given and (tag != "span" or given != _SPAN):
            self.found.append(f"attributes {given} of {tag}")
        if address is not None and not re.match(r"https?://", address, re.IGNORECASE):
            self.found.append(f"address {address}")
        if tag not in {"br", "hr"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.found.append(f"stray end of {tag}")


def dangers(html: str) -> list[str]:
    """Return everything in a piece of HTML that a report may not make: none when it is safe and well formed."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.found + [f"{tag} is left open" for tag in reader.open]
