// Keeps the page true while things move on. Everything works without it, by
// links and forms; it only spares people the reload.
"use strict";
(() => {
  const main = document.getElementById("main");
  const page = () => document.getElementById("page");
  const paused = () => document.documentElement.dataset.updates === "paused";
  const later = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

  // --- Showing the page again. Only one question is under way at a time; what
  // moves meanwhile makes another follow, if it is about what the page is about then.

  const pace = 150; // milliseconds at least between two of them
  const patience = 3000; // after one that failed
  const limit = 30000; // for an answer
  let showing = false;
  let again = false;
  let shown = 0;
  let turns = 0; // how often the page was replaced
  let meanwhile = [];

  // Wanted is what a person has asked for, although the page is not to change by itself.
  async function show(wanted) {
    if (showing || document.hidden || (paused() && !wanted)) {
      again = true;
      return;
    }
    showing = true;
    again = false;
    const wait = shown + pace - performance.now();
    if (wait > 0) await later(wait);
    shown = performance.now();
    try {
      await ask();
      showing = false;
      meanwhile.splice(0).forEach(heard);
      catchUp();
    } catch {
      showing = false;
      again = true;
      meanwhile = [];
      setTimeout(catchUp, patience);
    }
  }

  function catchUp() {
    if (again) show();
  }

  // Replaces the page by what it is now. An answer that is no page leaves what is
  // shown as it is, and so does one that was overtaken.
  async function ask() {
    const turn = turns;
    const answer = await fetch(location.href, { headers: { "Stellwerk-Part": "main" }, cache: "no-store", signal: AbortSignal.timeout(limit) });
    if (answer.redirected || (answer.status === 401 && !holdsWords(main))) {
      location.reload();
      await new Promise(() => {}); // the browser is on its way elsewhere
    }
    if (answer.status === 401) sayWhoIsOut();
    if (answer.status >= 500 || answer.status === 429 || answer.status === 401) throw new Error(answer.statusText);
    document.querySelector("#refused[data-out]")?.remove();
    const html = await answer.text();
    if (turn !== turns) again = true;
    else if (!replace(html)) throw new Error("no page");
  }

  function heard(moved) {
    const data = page().dataset;
    if (showing) meanwhile.push(moved);
    else if (!("still" in data) && concerns(data, moved)) show();
  }

  // A page that is about nothing in particular is concerned by everything.
  function concerns(data, moved) {
    const mine = [...data.runs.split(" "), ...data.projects.split(" ")].filter(Boolean);
    const theirs = [...(moved.runs || []), ...(moved.projects || [])];
    return moved.all || mine.length === 0 || mine.some((id) => theirs.includes(id));
  }

  document.addEventListener("stellwerk:moved", (event) => heard(event.detail));
  document.addEventListener("stellwerk:paused", catchUp);
  document.addEventListener("stellwerk:refused", () => show(true)); // because nobody is signed in, perhaps
  document.addEventListener("visibilitychange", catchUp);

  // Reports that it was a page.
  function replace(html) {
    const next = new DOMParser().parseFromString(html, "text/html").getElementById("page");
    if (!next) return false;
    turns++;
    nameForms(main);
    nameForms(next);
    Idiomorph.morph(main, next, {
      morphStyle: "innerHTML",
      ignoreActiveValue: true,
      callbacks: { beforeNodeMorphed: mayChange, beforeAttributeUpdated: mayChangeAttribute, beforeNodeRemoved: mayGo },
    });
    dress();
    return true;
  }

  // No form becomes another: what is written in it is for one place.
  function nameForms(tree) {
    const names = new Set();
    for (const form of tree.querySelectorAll("form[method=post]:not([id]), form[id^='to ']")) {
      const place = form.querySelector("input[type=hidden][name=key]")?.value ?? "";
      const name = "to " + form.getAttribute("action") + " " + place;
      if (names.has(name)) form.removeAttribute("id");
      else form.id = name;
      names.add(name);
    }
  }

  // What a person opened, wrote or chose stays as they left it.
  function mayChange(node) {
    return node.nodeType !== Node.ELEMENT_NODE || !(node.hasAttribute("data-own") || touched(node));
  }

  function touched(node) {
    if (node.matches("select")) return node.selectedIndex !== Math.max(0, [...node.options].findIndex((o) => o.defaultSelected));
    if (node.matches("[type=checkbox], [type=radio]")) return node.checked !== node.defaultChecked;
    return node.matches("textarea, input:not([type=hidden])") && node.value !== node.defaultValue;
  }

  function mayChangeAttribute(name, node) {
    return !(name === "open" && node.matches("details"));
  }

  // Neither what was refused goes nor words that nobody has sent.
  function mayGo(node) {
    if (node.nodeType !== Node.ELEMENT_NODE) return true;
    if (node.matches("#refused, .changed")) return false;
    const written = holdsWords(node);
    if (written) node.dataset.gone = "";
    return !written;
  }

  function holdsWords(node) {
    const fields = "textarea, input:not([type=hidden], [type=checkbox], [type=radio])";
    return [node, ...node.querySelectorAll(fields)].some((field) => field.matches(fields) && touched(field));
  }

  // --- What the frame around the page shows.

  function dress() {
    document.title = page().dataset.title;
    tellTimes();
    document.dispatchEvent(new CustomEvent("stellwerk:shown"));
  }

  // --- Forms are sent in place, each once at a time; what is refused is said above
  // the page.

  const underWay = new WeakSet();

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (form.method !== "post" || event.defaultPrevented) return;
    if (underWay.has(form)) {
      event.preventDefault();
      return;
    }
    if (form.hasAttribute("data-plain")) {
      if (event.submitter?.hasAttribute("formaction")) return; // a file is sent, and the page stays
      underWay.add(form);
      setTimeout(() => underWay.delete(form), limit);
      return;
    }
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, event.submitter));
    underWay.add(form);
    allow(form, false);
    try {
      await send(form, body);
    } catch {
      refuse("", "The engine did not answer. It may have acted anyway: look first, then decide whether to send it again.");
      show(true);
    } finally {
      underWay.delete(form);
      allow(form, true);
    }
  });

  function allow(form, may) {
    for (const button of form.querySelectorAll("button:not(.changed *)")) button.disabled = !may || "held" in form.dataset;
  }

  async function send(form, body) {
    const answer = await fetch(form.getAttribute("action"), {
      method: "POST", body, headers: { "Stellwerk-Part": "main" }, signal: AbortSignal.timeout(2 * limit),
    });
    const html = await answer.text();
    if (answer.status === 401) {
      sayWhoIsOut();
      show(true); // until somebody is signed in again
      return;
    }
    if (!answer.ok) {
      refuse(html);
      if (page().dataset.at) show(true); // what answered a form is at no address
      return;
    }
    document.getElementById("refused")?.remove();
    document.dispatchEvent(new CustomEvent("stellwerk:sent", { detail: form })); // the form may have left the page meanwhile
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
    const said = new DOMParser().parseFromString(html, "text/html").querySelector(".problem");
    note(...(said ? said.childNodes : [text || "This did not work."]));
  }

  function note(...said) {
    document.getElementById("refused")?.remove();
    const box = document.createElement("div");
    box.id = "refused";
    box.className = "card problem";
    box.setAttribute("role", "alert");
    box.append(...said);
    page().prepend(box);
    box.scrollIntoView({ block: "nearest" });
    return box;
  }

  // A session that is over takes nobody's words with it.
  function sayWhoIsOut() {
    if (document.querySelector("#refused[data-out]")) return;
    const link = document.createElement("a");
    link.href = "/sign-in";
    link.target = "_blank";
    link.textContent = "Sign in in another tab";
    note("You are signed out, and nothing was sent. Your text stays here. ", link, ", then send it from here.").dataset.out = "";
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

  setInterval(() => paused() || tellTimes(), 20000);
  tellTimes();
})();
