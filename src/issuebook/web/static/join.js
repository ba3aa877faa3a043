// Takes the secret of an invitation out of the address, where it would stay in the history of the browser.

const field = document.querySelector("#token");
if (location.hash.length > 1) {
  field.value = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
}
document.querySelector("#by-hand").hidden = field.value !== "";
