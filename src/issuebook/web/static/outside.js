// Links and images of reports are inert. Asked for, the page shows where one leads and lets the reader decide.

const dialog = document.querySelector("#outside");

function ask(place) {
  dialog.querySelector(".address bdi").textContent = place.dataset.to;
  dialog.querySelector("a").href = place.dataset.to;
  dialog.showModal();
}

if (dialog) {
  document.addEventListener("click", (event) => {
    const place = event.target.closest?.(".outside");
    if (place && /^https?:\/\//i.test(place.dataset.to)) ask(place);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches?.(".outside")) {
      event.preventDefault();
      event.target.click();
    }
  });
  dialog.querySelector("a").addEventListener("click", () => dialog.close());
}
