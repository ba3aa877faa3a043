"""Take the picture of the demo's report that the README shows: ``python docs/picture.py`` after ``make demo``."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Write docs/images/report.png."""
    with sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 860}, device_scale_factor=1.5)
        page.goto((ROOT / "demo" / "out" / "index.html").as_uri())
        page.screenshot(path=ROOT / "docs" / "images" / "report.png")
        browser.close()


if __name__ == "__main__":
    main()
