// Holds people to what they looked at. A page changes by itself, and with it what
// its forms carry: the commit that is approved, sent back, merged or commented on.
// Whoever was reading would decide on something else without noticing. So a form
// that is about something else than when it was looked at cannot be sent before
// the person says that they have looked again. It does not matter how often it
// changed or whether it was away meanwhile. Without this script a page does not
// change, and the engine refuses what is not there any more.
//
// Where the page shows the changes themselves, a decision that appears is held,
// too: the changes above it may not be those that were being read.
"use strict";
(() => {
  const shown = ["subject", "commit", "tip", "stage"];
  const moment = 1000; // milliseconds
  const looked = new Map(); // what each form was about when it was looked at

  function carried(form, name) {
    return form.querySelector(`input[type=hidden][name=${name}]`)?.value ?? "";
  }

  const about = (form) => shown.map((name) => carried(form, name)).join("\n");
  const key = (form) => form.getAttribute("action") + " " + carried(form, "key");
  const subject = (form) => form.getAttribute("action").split("/").slice(0, 3).join("/");
  const decides = (form) => carried(form, "subject") !== "" || carried(form, "tip") !== "";

  // Those that carry what was shown. Taking back one's own comment decides nothing.
  function forms() {
    return [...document.querySelectorAll("main form[method=post]")]
      .filter((form) => about(form).trim() !== "" && !form.closest("[data-gone]") && !form.querySelector("input[type=hidden][name=text]"));
  }

  function judge() {
    const reads = document.querySelector(".diffbar") !== null;
    for (const form of forms()) {
      if (!looked.has(key(form)) && !(reads && decides(form))) looked.set(key(form), about(form));
      if (looked.get(key(form)) === about(form)) release(form);
      else hold(form, "This has changed since you looked.", true);
    }
    for (const form of document.querySelectorAll("[data-gone] form, form[data-gone]")) {
      hold(form, "Nobody is asking this any more. Your text stays here until you leave the page.", false);
    }
  }

  function hold(form, text, canLook) {
    form.dataset.held = "";
    allow(form, false);
    const before = form.querySelector(".changed");
    const why = text + about(form);
    if (before?.dataset.why === why) return;
    before?.remove();
    const note = document.createElement("div");
    note.className = "notice changed";
    note.setAttribute("role", "status");
    note.dataset.why = why;
    note.append(text);
    if (canLook) note.append(" ", lookButton(form));
    form.prepend(note);
  }

  // It can be pressed after a moment: nobody has looked at what changed just now.
  function lookButton(form) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "I have looked again";
    button.disabled = true;
    setTimeout(() => { button.disabled = false; }, moment);
    button.addEventListener("click", () => {
      looked.set(key(form), about(form));
      release(form);
      form.querySelector("button")?.focus();
    });
    return button;
  }

  function release(form) {
    form.querySelector(".changed")?.remove();
    if (!("held" in form.dataset)) return;
    delete form.dataset.held;
    allow(form, true);
  }

  function allow(form, may) {
    for (const button of form.querySelectorAll("button:not(.changed *)")) button.disabled = !may;
  }

  document.addEventListener("submit", (event) => {
    if ("held" in event.target.dataset) event.preventDefault();
  }, true);

  // Who has spoken knows that what they looked at is over.
  document.addEventListener("stellwerk:sent", (event) => {
    if (!decides(event.detail)) return;
    const over = subject(event.detail);
    for (const form of looked.keys()) {
      if (form.startsWith(over + "/")) looked.delete(form);
    }
  });
  document.addEventListener("stellwerk:shown", judge);
  for (const form of forms()) looked.set(key(form), about(form));
})();
