// Keeps the page true while things move on. Everything works without it, by
// links and forms; it only spares people the reload.
"use strict";
(() => {
  const root = document.documentElement;
  const main = document.getElementById("main");
  const page = () => document.getElementById("page");
  const live = document.getElementById("live");

  // --- The state of the connection.
  const words = { on: "live", wait: "reconnecting", gone: "offline", off: "static" };
  function say(state) {
    if (live.dataset.state === state) return;
    live.dataset.state = state;
    live.querySelector(".says").textContent = words[state];
  }

  // --- Showing the page again. Only one is under way at a time; what moves
  // meanwhile makes another follow.
  let showing = false, again = false, shown = 0;
  const pace = 150, patience = 3000; // no more often than so many milliseconds; after one that failed
  async function show() {
    if (showing || document.hidden) { again = true; return; }
    showing = true; again = false;
    const wait = shown + pace - performance.now();
    if (wait > 0) await new Promise((done) => setTimeout(done, wait));
    shown = performance.now();
    try {
      const answer = await fetch(location.href, { headers: { "Stellwerk-Part": "main" }, cache: "no-store" });
      if (answer.redirected || answer.status === 401) { location.reload(); return; }
      const html = await answer.text();
      if (!html.includes('id="page"')) throw new Error(answer.statusText); // it is no page: what is shown stays
      replace(html);
    } catch {
      showing = false; again = true;
      setTimeout(() => { if (again) show(); }, patience);
      return;
    }
    showing = false;
    if (again && live.dataset.state === "on") show();
  }

  function replace(html) {
    Idiomorph.morph(main, html, { morphStyle: "innerHTML", ignoreActiveValue: true, callbacks: { beforeNodeMorphed: keep, beforeAttributeUpdated: keepAttribute, beforeNodeRemoved: (node) => node.id !== "refused" } });
    dress();
  }
  // What a person opened, wrote or chose stays as they left it.
  function keep(old, fresh) {
    if (old.nodeType !== Node.ELEMENT_NODE) return true;
    if (old.hasAttribute("data-own")) return false;
    if (old.matches("textarea, input:not([type=hidden])") && old.value !== old.defaultValue) return false;
    return true;
  }
  function keepAttribute(name, node) { return !(name === "open" && node.matches("details")); }

  // --- What the frame around the page shows.
  let waiting = Number(page().dataset.waiting);
  function dress() {
    const data = page().dataset;
    document.title = data.title;
    const badge = document.getElementById("waiting");
    badge.firstChild.textContent = data.waiting;
    badge.hidden = data.waiting === "0";
    if (Number(data.waiting) > waiting) notify(Number(data.waiting));
    waiting = Number(data.waiting);
    times();
    document.dispatchEvent(new CustomEvent("stellwerk:shown"));
  }
  function notify(n) {
    if (!("Notification" in window) || Notification.permission !== "granted" || !document.hidden) return;
    new Notification("Stellwerk", { body: n === 1 ? "One thing waits for you." : n + " things wait for you.", tag: "stellwerk-waiting", icon: "/assets/icon.svg" });
  }

  // --- Hearing what moves. One page of the browser listens for all of them:
  // browsers allow only a few connections to one place.
  const channel = "BroadcastChannel" in window ? new BroadcastChannel("stellwerk-live") : null;
  function heard(m) {
    const data = page().dataset;
    if ("still" in data) return;
    const mine = [...data.runs.split(" "), ...data.projects.split(" ")].filter(Boolean);
    const moved = [...(m.runs || []), ...(m.projects || [])];
    document.dispatchEvent(new CustomEvent("stellwerk:moved", { detail: m }));
    if (m.all || mine.length === 0 || mine.some((id) => moved.includes(id))) show();
  }
  if (channel) channel.onmessage = (e) => { if (e.data.state) say(e.data.state); if (e.data.moved) heard(e.data.moved); if (e.data.ask && source) channel.postMessage({ state: live.dataset.state }); };
  let source = null;
  function tell(state) { say(state); if (channel) channel.postMessage({ state }); }
  function listen() {
    source = new EventSource("/live?since=" + encodeURIComponent(page().dataset.at));
    source.onopen = () => { tell("on"); if (again) show(); };
    source.onerror = () => {
      tell(source.readyState === EventSource.CLOSED ? "gone" : "wait");
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, 3000);
    };
    source.addEventListener("moved", (e) => {
      const m = JSON.parse(e.data);
      if (channel) channel.postMessage({ moved: m });
      heard(m);
    });
  }
  if (channel && navigator.locks) {
    navigator.locks.request("stellwerk-live", () => { listen(); return new Promise(() => {}); });
    channel.postMessage({ ask: true });
  } else listen();
  document.addEventListener("visibilitychange", () => { if (!document.hidden && again) show(); });

  // --- Forms are sent in place; what is refused is said above the page.
  document.addEventListener("submit", async (e) => {
    const form = e.target;
    if (form.method !== "post" || form.hasAttribute("data-plain") || e.defaultPrevented) return;
    e.preventDefault();
    const buttons = form.querySelectorAll("button");
    const body = new URLSearchParams(new FormData(form, e.submitter));
    buttons.forEach((b) => { b.disabled = true; });
    try {
      const answer = await fetch(form.action, { method: "POST", body, headers: { "Stellwerk-Part": "main" } });
      const html = await answer.text();
      if (!answer.ok) { refuse(html); return; }
      document.getElementById("refused")?.remove();
      form.reset();
      const to = new URL(answer.url);
      if (to.pathname !== location.pathname) { location.assign(to); return; }
      if (to.search !== location.search) history.replaceState(null, "", to);
      replace(html);
    } catch {
      refuse("", "The engine does not answer. Nothing was sent twice; try again when the light is green.");
    } finally { buttons.forEach((b) => { b.disabled = false; }); }
  });
  // What there is now is shown below the refusal, which stays until the next word.
  function refuse(html, text) {
    document.getElementById("refused")?.remove();
    const note = document.createElement("div");
    note.id = "refused"; note.className = "card problem"; note.setAttribute("role", "alert");
    const from = new DOMParser().parseFromString(html, "text/html").querySelector(".problem");
    if (from) note.append(...from.childNodes); else note.textContent = text || "This did not work.";
    page().prepend(note);
    note.scrollIntoView({ block: "nearest" });
    if (html) show();
  }

  // --- On a narrow screen, what is looked at is brought into view: the tab, and
  // the first block of a diagram that is not over.
  function bring(box, item) {
    if (box && item) box.scrollLeft += item.getBoundingClientRect().left - box.getBoundingClientRect().left - (box.clientWidth - item.getBoundingClientRect().width) / 2;
  }
  const tabs = document.querySelector(".tabs"), panel = document.querySelector(".panel");
  bring(tabs, tabs?.querySelector("[aria-current]"));
  bring(panel, panel?.querySelector(".block:not(.s-passed)"));

  // --- Times, theme, keys.
  function times() {
    for (const t of document.querySelectorAll("time[data-ago]")) {
      const s = (Date.now() - Date.parse(t.dateTime)) / 1000;
      if (s < 10) t.textContent = "just now";
      else if (s < 60) t.textContent = Math.floor(s) + " s ago";
      else if (s < 3600) t.textContent = Math.floor(s / 60) + " min ago";
      else if (s < 172800) t.textContent = Math.floor(s / 3600) + " h " + Math.floor(s % 3600 / 60) + " min ago";
      else t.textContent = Math.floor(s / 86400) + " days ago";
    }
  }
  setInterval(times, 20000); times();

  function dark() { return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches; }
  function turn() {
    root.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* it lasts as long as the page */ }
  }
  const help = document.getElementById("help");
  for (const [id, act] of [["theme", turn], ["keys", () => help.showModal()]]) {
    const b = document.getElementById(id); b.hidden = false; b.addEventListener("click", act);
  }
  const places = { p: "/", i: "/inbox", c: "/costs", s: "/settings" };
  let went = 0;
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, textarea, select, dialog[open]")) return;
    if (e.key === "g") { went = Date.now(); return; }
    if (Date.now() - went < 1500 && places[e.key]) { location.assign(places[e.key]); return; }
    if (e.key === "t") turn();
    if (e.key === "?") help.showModal();
  });
})();
