// Counts what waits for a person, on every page and also while nobody looks, and
// tells them by a notification of the browser where they want that.
"use strict";
(() => {
  const pace = 1000; // milliseconds between two counts
  const badge = document.getElementById("waiting");
  const there = () => Number(document.getElementById("page").dataset.waiting);
  let waiting = there();
  let counting = false;
  let again = false;

  function tell(now) {
    if (document.documentElement.dataset.updates !== "paused") {
      badge.firstChild.textContent = now;
      badge.hidden = now === 0;
    }
    if (now > waiting && document.hidden) notify(now);
    waiting = now;
  }

  function notify(n) {
    if (!("Notification" in window) || Notification.permission !== "granted") return;
    new Notification("Stellwerk", {
      body: n === 1 ? "One thing is waiting for you." : n + " things are waiting for you.",
      tag: "stellwerk-waiting",
      icon: "/assets/icon.svg",
    });
  }

  async function count() {
    again = true;
    if (counting) return;
    counting = true;
    while (again) {
      again = false;
      await ask();
      await new Promise((done) => setTimeout(done, pace));
    }
    counting = false;
  }

  async function ask() {
    try {
      const answer = await fetch("/waiting", { cache: "no-store", signal: AbortSignal.timeout(30000) });
      if (answer.ok) tell(Number(await answer.text()));
    } catch { /* the next move counts again */ }
  }

  // Of the pages that nobody looks at, only the one that listens counts.
  let missed = false;
  document.addEventListener("stellwerk:moved", (event) => {
    if (event.detail.listens || !document.hidden) count();
    else missed = true;
  });
  document.addEventListener("visibilitychange", () => {
    if (missed && !document.hidden) count();
    missed = false;
  });
  document.addEventListener("stellwerk:shown", () => tell(there()));
  document.addEventListener("stellwerk:paused", count);
})();
