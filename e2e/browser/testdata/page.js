// What the tests look at a page with. It is there before the page's own scripts.
"use strict";
(() => {
  const broken = [];
  document.addEventListener("securitypolicyviolation", (e) => broken.push(e.violatedDirective + " " + e.blockedURI + " " + e.sourceFile + ":" + e.lineNumber));
  const words = (e) => (e.innerText || e.value || "").replace(/\s+/g, " ").trim();
  const seen = (e) => e.checkVisibility({ checkVisibilityCSS: true }) && e.getClientRects().length > 0;
  const all = (selector, text) => [...document.querySelectorAll(selector)].filter((e) => seen(e) && (words(e) === text || words(e).startsWith(text)));
  window.person = {
    broken,
    sees: (text) => document.body !== null && words(document.body).includes(text),
    // Presses what a finger would reach, and says why it cannot. The answer is on its way before the page goes.
    press(text, within) {
      const place = within ? document.querySelector(within) : document;
      if (!place) return "there is no " + within;
      const found = all("a, button, summary, label, input[type=submit]", text).filter((e) => place.contains(e));
      const e = found.find((e) => words(e) === text) || found[0];
      if (!e) return "nothing to press says " + text;
      if (e.disabled) return text + " is disabled";
      e.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      const box = e.getClientRects()[0];
      const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      if (!top || !(e.contains(top) || top.contains(e))) return text + " is covered by " + (top ? top.outerHTML.slice(0, 120) : "nothing");
      setTimeout(() => e.click());
      return "";
    },
    // Puts the cursor into the field of a label, all of its content chosen.
    into(label, within) {
      const place = within ? document.querySelector(within) : document;
      if (!place) return "there is no " + within;
      const e = [...place.querySelectorAll("label")].filter(seen).find((l) => words(l).startsWith(label));
      if (!e || !e.control) return "no field is labelled " + label;
      e.control.scrollIntoView({ block: "center", behavior: "instant" });
      e.control.focus();
      if (e.control.select) e.control.select();
      return document.activeElement === e.control ? "" : label + " takes no focus";
    },
    overflow() {
      const wide = document.documentElement.scrollWidth;
      if (wide <= window.innerWidth) return "";
      const out = [...document.querySelectorAll("main *, header *, footer *")].filter((e) => e.getBoundingClientRect().right > window.innerWidth + 1 && !e.closest("[tabindex] *, .scroll *, pre *"));
      return wide + " > " + window.innerWidth + ": " + out.slice(0, 3).map((e) => e.outerHTML.slice(0, 160)).join("  ");
    },
  };
})();
