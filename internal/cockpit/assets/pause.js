// Lets a person read a page that does not change by itself. Others listen on, and
// what they send themselves is shown.
"use strict";
(() => {
  const root = document.documentElement;
  const button = document.getElementById("pause");

  function dress(paused) {
    button.setAttribute("aria-pressed", paused);
    if (paused) root.dataset.updates = "paused";
    else delete root.dataset.updates;
  }

  function keep(paused) {
    try {
      if (paused) localStorage.setItem("updates", "paused");
      else localStorage.removeItem("updates");
    } catch { /* it lasts as long as the page */ }
  }

  function kept() {
    try {
      return localStorage.getItem("updates") === "paused";
    } catch {
      return false;
    }
  }

  button.addEventListener("click", () => {
    const paused = root.dataset.updates !== "paused";
    dress(paused);
    keep(paused);
    document.dispatchEvent(new CustomEvent("stellwerk:paused"));
  });
  button.hidden = false;
  dress(kept());
})();
