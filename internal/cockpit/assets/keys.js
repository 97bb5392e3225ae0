// Theme and keys.
"use strict";
(() => {
  const root = document.documentElement;

  function isDark() {
    if (root.dataset.theme) return root.dataset.theme === "dark";
    return matchMedia("(prefers-color-scheme: dark)").matches;
  }

  function turn() {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("theme", root.dataset.theme);
    } catch { /* it lasts as long as the page */ }
  }

  function showKeys() {
    document.getElementById("help").showModal();
  }

  function offer(id, act) {
    const button = document.getElementById(id);
    button.hidden = false;
    button.addEventListener("click", act);
  }

  offer("theme", turn);
  offer("keys", showKeys);

  // Keys without a modifier get in the way of those who speak to their machine.
  const act = document.getElementById("keys-act");
  try {
    act.checked = localStorage.getItem("keys") !== "off";
  } catch { /* they act */ }
  act.addEventListener("change", () => {
    try {
      localStorage.setItem("keys", act.checked ? "on" : "off");
    } catch { /* it lasts as long as the page */ }
  });

  const places = { p: "/", i: "/inbox", c: "/costs", s: "/settings" };
  const together = 1500; // milliseconds between g and the key of a place
  let went = 0;

  document.addEventListener("keydown", (event) => {
    if (!act.checked || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, dialog[open]")) return;
    if (event.key === "g") {
      went = Date.now();
      return;
    }
    if (Date.now() - went < together && places[event.key]) {
      location.assign(places[event.key]);
      return;
    }
    if (event.key === "t") turn();
    if (event.key === "?") showKeys();
  });
})();
