// Says beside the slider where it stands.

const slider = document.querySelector("#groups");
const told = document.querySelector("#cut-to");
if (slider) slider.addEventListener("input", () => (told.textContent = `${slider.value} groups`));
