// Copies a text of the page, and says so.

const button = document.querySelector("#copy");
if (button && navigator.clipboard) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.querySelector(`#${button.dataset.of}`).textContent);
    document.querySelector("#copied").textContent = "Copied";
  });
}
