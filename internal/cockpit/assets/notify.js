// Asks for the permission to notify, where a page offers it.
"use strict";
(() => {
  if (!("Notification" in window)) return;

  const words = {
    granted: "This browser notifies you.",
    denied: "This browser blocks notifications from this site. You can change that in its settings.",
    default: "",
  };

  function dress() {
    for (const box of document.querySelectorAll("[data-notify]")) {
      box.hidden = false;
      box.querySelector("button").hidden = Notification.permission !== "default";
      box.querySelector("[role=status]").textContent = words[Notification.permission];
    }
  }

  document.addEventListener("click", async (event) => {
    if (!event.target.closest("[data-notify] button")) return;
    await Notification.requestPermission();
    dress();
  });
  document.addEventListener("stellwerk:shown", dress);
  dress();
})();
