// The codebook's tree: finding codes, opening and closing branches, moving with the arrow keys.

const find = document.querySelector("#find");
const told = document.querySelector("#found");
const items = [...document.querySelectorAll(".tree li[data-words]")];
const branches = [...document.querySelectorAll(".tree li .line details")];
let before = null; // which branches were open before somebody looked for something

function show(words) {
  if (words && !before) before = new Map(branches.map((branch) => [branch, branch.open]));
  let hits = 0;
  for (const item of items) {
    const own = words.every((word) => item.dataset.words.includes(word));
    item.dataset.hit = own ? "1" : "";
    hits += own ? 1 : 0;
  }
  for (const item of items) {
    const below = item.querySelector("li[data-hit='1']");
    const above = item.parentElement.closest("li[data-hit='1']");
    item.hidden = !(item.dataset.hit || below || above);
    const branch = branchOf(item);
    if (branch) branch.open = words.length ? Boolean(below) : before?.get(branch) ?? branch.open;
  }
  if (!words.length) before = null;
  told.textContent = words.length ? `${hits} ${hits === 1 ? "code" : "codes"}` : "";
}

function branchOf(item) {
  return item?.querySelector(":scope > .line > details") ?? null;
}

/** Moves between the codes that can be seen; to the right opens a code, to the left closes it or goes to the one above. */
function move(event) {
  const link = event.target.closest?.(".tree li .line > a, .tree li .line summary");
  if (!link || event.ctrlKey || event.metaKey || event.altKey) return;
  const item = link.closest("li");
  const branch = branchOf(item);
  const every = [...document.querySelectorAll(".tree li[data-words] > .line > a")].filter((each) => each.checkVisibility());
  const at = every.indexOf(item.querySelector(":scope > .line > a"));
  let to = null;
  if (event.key === "ArrowDown") to = every[at + 1];
  else if (event.key === "ArrowUp") to = every[at - 1];
  else if (event.key === "Home") to = every[0];
  else if (event.key === "End") to = every.at(-1);
  else if (event.key === "ArrowRight" && branch && !branch.open) branch.open = true;
  else if (event.key === "ArrowRight" && branch) to = every[at + 1];
  else if (event.key === "ArrowLeft" && branch?.open) branch.open = false;
  else if (event.key === "ArrowLeft") to = item.parentElement.closest("li")?.querySelector(":scope > .line > a");
  else return;
  event.preventDefault();
  to?.focus();
}

if (find) {
  find.hidden = false;
  find.addEventListener("input", () => show(find.value.toLowerCase().split(/\s+/).filter(Boolean)));
  find.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      items.find((item) => item.dataset.hit)?.querySelector("a")?.focus();
    }
  });
  for (const [id, open] of [["open-all", true], ["close-all", false]]) {
    const button = document.querySelector(`#${id}`);
    button.hidden = false;
    button.addEventListener("click", () => branches.forEach((branch) => (branch.open = open)));
  }
  document.addEventListener("keydown", move);
}
