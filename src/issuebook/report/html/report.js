"use strict";
(() => {
  const origin = document.getElementById("origin");
  let shown = null;
  let pinned = false;
  let quiet = false;

  const line = (tag, text, className) => {
    const element = document.createElement(tag);
    element.textContent = text;
    if (className) element.className = className;
    return element;
  };

  const place = (number) => {
    const at = number.getBoundingClientRect();
    const box = origin.getBoundingClientRect();
    const left = Math.min(Math.max(8, at.left), document.documentElement.clientWidth - box.width - 8);
    const below = at.bottom + 6;
    const top = below + box.height > window.innerHeight && at.top - box.height - 6 > 0 ? at.top - box.height - 6 : below;
    origin.style.left = `${Math.max(8, left)}px`;
    origin.style.top = `${top}px`;
  };

  const show = (number) => {
    const entry = document.getElementById(number.hash.slice(1));
    if (!entry || shown === number) return;
    const [call, value, interval, n, source] = Array.from(entry.cells, (cell) => cell.textContent);
    const link = line("a", "Show in the list of numbers", "small");
    link.href = number.hash;
    link.addEventListener("click", hide);
    const base = n ? `n = ${n}. ` : "";
    origin.replaceChildren(
      line("code", call),
      line("strong", interval ? `${value} (${interval})` : value),
      line("p", `${base}Computed from: ${source}`),
      link,
    );
    hide();
    shown = number;
    number.setAttribute("aria-describedby", "origin");
    origin.showPopover();
    place(number);
  };

  const hide = () => {
    if (!shown) return;
    shown.removeAttribute("aria-describedby");
    shown = null;
    pinned = false;
    origin.hidePopover();
  };

  const numberAt = (target) => (target instanceof Element ? target.closest("a.q") : null);
  let leaving = 0;
  if ("showPopover" in origin) {
    document.addEventListener("pointerover", (event) => {
      if (event.pointerType === "touch") return;
      const number = numberAt(event.target);
      if (number || origin.contains(event.target)) clearTimeout(leaving);
      if (number && !pinned) show(number);
    });
    document.addEventListener("pointerout", (event) => {
      if (pinned || !shown || !(numberAt(event.target) || origin.contains(event.target))) return;
      clearTimeout(leaving);
      leaving = setTimeout(() => { if (!pinned && document.activeElement !== shown) hide(); }, 200);
    });
    document.addEventListener("focusin", (event) => {
      const number = numberAt(event.target);
      if (quiet) return;
      if (number) show(number);
      else if (!origin.contains(event.target)) hide();
    });
    document.addEventListener("click", (event) => {
      const number = numberAt(event.target);
      if (!number) {
        if (!origin.contains(event.target)) hide();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      show(number);
      pinned = true;
      if (event.detail === 0) origin.querySelector("a").focus();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !shown) return;
      const number = shown;
      const inside = origin.contains(document.activeElement);
      quiet = true;
      hide();
      if (inside) number.focus();
      quiet = false;
    });
    window.addEventListener("scroll", () => { if (shown) place(shown); }, { passive: true, capture: true });
  }

  // One stop of the Tab key a table; the arrow keys move among its numbers.
  const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
  for (const table of document.querySelectorAll("table")) {
    const numbers = table.querySelectorAll("tbody a.q");
    if (numbers.length < 12) continue;
    numbers.forEach((number, k) => { number.tabIndex = k === 0 ? 0 : -1; });
    table.addEventListener("keydown", (event) => {
      const number = numberAt(event.target);
      const move = step[event.key];
      if (!number || !move) return;
      event.preventDefault();
      let cell = number.closest("td, th");
      let next = null;
      while (cell && !next) {
        const row = cell.parentElement;
        const rows = Array.from(table.rows);
        const other = move[0] ? rows[rows.indexOf(row) + move[0]] : row;
        cell = other ? other.cells[cell.cellIndex + move[1]] : null;
        next = cell ? cell.querySelector("a.q") : null;
      }
      if (!next) return;
      numbers.forEach((each) => { each.tabIndex = -1; });
      next.tabIndex = 0;
      next.focus();
    });
  }

  const find = document.getElementById("find");
  const found = document.getElementById("found");
  find.closest("p").hidden = false;
  const rows = Array.from(document.querySelectorAll(".calls tbody tr"), (row) => [row, row.textContent.toLowerCase()]);
  find.addEventListener("input", () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const [row, text] of rows) {
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) count += 1;
    }
    for (const group of document.querySelectorAll(".calls")) {
      const any = group.querySelector("tbody tr:not([hidden])") !== null;
      group.hidden = !any;
      group.open = words.length > 0 && any;
    }
    found.textContent = words.length ? `${count} found` : "";
  });

  // A link into the list opens the group it leads to, also in browsers that do not do so themselves.
  const reveal = () => {
    const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
    const group = target ? target.closest("details") : null;
    if (group && !group.open) {
      group.open = true;
      target.scrollIntoView({ block: "center" });
    }
  };
  window.addEventListener("hashchange", reveal);
  reveal();

  const links = new Map(Array.from(document.querySelectorAll(".toc a"), (link) => [link.hash.slice(1), link]));
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const link of links.values()) link.removeAttribute("aria-current");
      links.get(entry.target.id).setAttribute("aria-current", "true");
    }
  }, { rootMargin: "-20% 0px -70% 0px" });
  for (const id of links.keys()) watch.observe(document.getElementById(id));
})();
