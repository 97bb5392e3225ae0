// Keeps the page true while things move on. Everything works without it, by
// links and forms; it only spares people the reload.
"use strict";
(() => {
  const root = document.documentElement;
  const main = document.getElementById("main");
  const live = document.getElementById("live");
  const page = () => document.getElementById("page");
  const later = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

  // --- The state of the connection.

  const words = { on: "live", wait: "reconnecting", gone: "offline", off: "static" };

  function say(state) {
    if (live.dataset.state === state) return;
    live.dataset.state = state;
    live.querySelector(".says").textContent = words[state];
  }

  // --- Showing the page again. Only one question is under way at a time; what
  // moves meanwhile makes another follow.

  const pace = 150; // milliseconds at least between two of them
  const patience = 3000; // after one that failed
  let showing = false;
  let again = false;
  let shown = 0;

  async function show() {
    if (showing || document.hidden) {
      again = true;
      return;
    }
    showing = true;
    again = false;
    const wait = shown + pace - performance.now();
    if (wait > 0) await later(wait);
    shown = performance.now();
    try {
      if (!await ask()) return; // the browser is on its way elsewhere
    } catch {
      showing = false;
      again = true;
      setTimeout(catchUp, patience);
      return;
    }
    showing = false;
    if (live.dataset.state === "on") catchUp();
  }

  function catchUp() {
    if (again) show();
  }

  // Replaces the page by what it is now. An answer that is no page leaves what is
  // shown as it is.
  async function ask() {
    const answer = await fetch(location.href, { headers: { "Stellwerk-Part": "main" }, cache: "no-store" });
    if (answer.redirected || answer.status === 401) {
      location.reload();
      return false;
    }
    const html = await answer.text();
    if (!html.includes('id="page"')) throw new Error(answer.statusText);
    replace(html);
    return true;
  }

  function replace(html) {
    Idiomorph.morph(main, html, {
      morphStyle: "innerHTML",
      ignoreActiveValue: true,
      callbacks: {
        beforeNodeMorphed: mayChange,
        beforeAttributeUpdated: mayChangeAttribute,
        beforeNodeRemoved: (node) => node.id !== "refused",
      },
    });
    dress();
  }

  // What a person opened, wrote or chose stays as they left it.
  function mayChange(node) {
    if (node.nodeType !== Node.ELEMENT_NODE) return true;
    if (node.hasAttribute("data-own")) return false;
    return !node.matches("textarea, input:not([type=hidden])") || node.value === node.defaultValue;
  }

  function mayChangeAttribute(name, node) {
    return !(name === "open" && node.matches("details"));
  }

  // --- What the frame around the page shows.

  let waiting = Number(page().dataset.waiting);

  function dress() {
    const data = page().dataset;
    document.title = data.title;
    const badge = document.getElementById("waiting");
    badge.firstChild.textContent = data.waiting;
    badge.hidden = data.waiting === "0";
    const now = Number(data.waiting);
    if (now > waiting) notify(now);
    waiting = now;
    tellTimes();
    document.dispatchEvent(new CustomEvent("stellwerk:shown"));
  }

  function notify(n) {
    if (!("Notification" in window) || Notification.permission !== "granted" || !document.hidden) return;
    new Notification("Stellwerk", {
      body: n === 1 ? "One thing waits for you." : n + " things wait for you.",
      tag: "stellwerk-waiting",
      icon: "/assets/icon.svg",
    });
  }

  // --- Hearing what moves. One page of the browser listens for all of them:
  // browsers allow only a few connections to one place.

  const channel = "BroadcastChannel" in window ? new BroadcastChannel("stellwerk-live") : null;
  let source = null; // on the page that listens

  function tellOthers(message) {
    if (channel) channel.postMessage(message);
  }

  function heard(moved) {
    const data = page().dataset;
    if ("still" in data) return;
    document.dispatchEvent(new CustomEvent("stellwerk:moved", { detail: moved }));
    if (concerns(data, moved)) show();
  }

  // A page that is about nothing in particular is concerned by everything.
  function concerns(data, moved) {
    const mine = [...data.runs.split(" "), ...data.projects.split(" ")].filter(Boolean);
    const theirs = [...(moved.runs || []), ...(moved.projects || [])];
    return moved.all || mine.length === 0 || mine.some((id) => theirs.includes(id));
  }

  function listen() {
    source = new EventSource("/live?since=" + encodeURIComponent(page().dataset.at));
    source.onopen = () => {
      announce("on");
      catchUp();
    };
    source.onerror = () => {
      const closed = source.readyState === EventSource.CLOSED;
      announce(closed ? "gone" : "wait");
      if (closed) setTimeout(listen, patience);
    };
    source.addEventListener("moved", (event) => {
      const moved = JSON.parse(event.data);
      tellOthers({ moved });
      heard(moved);
    });
  }

  function announce(state) {
    say(state);
    tellOthers({ state });
  }

  function receive(message) {
    if (message.state) say(message.state);
    if (message.moved) heard(message.moved);
    if (message.ask && source) tellOthers({ state: live.dataset.state });
  }

  function connect() {
    if (!channel || !navigator.locks) {
      listen();
      return;
    }
    navigator.locks.request("stellwerk-live", () => {
      listen();
      return new Promise(() => {}); // it listens for as long as the page is there
    });
    tellOthers({ ask: true });
  }

  if (channel) channel.onmessage = (event) => receive(event.data);
  connect();
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) catchUp();
  });

  // --- Forms are sent in place; what is refused is said above the page.

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (form.method !== "post" || form.hasAttribute("data-plain") || event.defaultPrevented) return;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, event.submitter));
    const buttons = form.querySelectorAll("button");
    allow(buttons, false);
    try {
      await send(form, body);
    } catch {
      refuse("", "The engine does not answer. Nothing was sent twice; try again when the light is green.");
    } finally {
      allow(buttons, true);
    }
  });

  function allow(buttons, may) {
    for (const button of buttons) button.disabled = !may;
  }

  async function send(form, body) {
    const answer = await fetch(form.action, { method: "POST", body, headers: { "Stellwerk-Part": "main" } });
    const html = await answer.text();
    if (!answer.ok) {
      refuse(html);
      return;
    }
    document.getElementById("refused")?.remove();
    form.reset();
    const to = new URL(answer.url);
    if (to.pathname !== location.pathname) {
      location.assign(to);
      return;
    }
    if (to.search !== location.search) history.replaceState(null, "", to);
    replace(html);
  }

  // What there is now is shown below the refusal, which stays until the next word.
  function refuse(html, text) {
    document.getElementById("refused")?.remove();
    const note = document.createElement("div");
    note.id = "refused";
    note.className = "card problem";
    note.setAttribute("role", "alert");
    const said = new DOMParser().parseFromString(html, "text/html").querySelector(".problem");
    if (said) note.append(...said.childNodes);
    else note.textContent = text || "This did not work.";
    page().prepend(note);
    note.scrollIntoView({ block: "nearest" });
    if (html) show();
  }

  // --- On a narrow screen, what is looked at is brought into view: the tab, and
  // the first block of a diagram that is not over.

  function bring(box, wanted) {
    const item = box?.querySelector(wanted);
    if (!item) return;
    const place = item.getBoundingClientRect();
    box.scrollLeft += place.left - box.getBoundingClientRect().left - (box.clientWidth - place.width) / 2;
  }

  bring(document.querySelector(".tabs"), "[aria-current]");
  bring(document.querySelector(".panel"), ".block:not(.s-passed)");

  // --- How long ago something was, while the page stands still.

  function ago(seconds) {
    if (seconds < 10) return "just now";
    if (seconds < 60) return Math.floor(seconds) + " s ago";
    if (seconds < 3600) return Math.floor(seconds / 60) + " min ago";
    if (seconds < 172800) return Math.floor(seconds / 3600) + " h " + Math.floor(seconds % 3600 / 60) + " min ago";
    return Math.floor(seconds / 86400) + " days ago";
  }

  function tellTimes() {
    for (const time of document.querySelectorAll("time[data-ago]")) {
      time.textContent = ago((Date.now() - Date.parse(time.dateTime)) / 1000);
    }
  }

  setInterval(tellTimes, 20000);
  tellTimes();

  // --- Theme and keys.

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

  const places = { p: "/", i: "/inbox", c: "/costs", s: "/settings" };
  const together = 1500; // milliseconds between g and the key of a place
  let went = 0;

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
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
