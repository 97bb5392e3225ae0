// Adds to a transcript what an agent says while it is looked at. It asks for
// what follows, piece by piece: nobody has to keep a connection for it.
"use strict";
(() => {
  const pace = 1000; // milliseconds until the next question
  const patience = 5000; // after one that failed
  const most = 1000; // records that a page keeps
  const near = 60; // pixels from the end of a box at which it counts as being there
  const seen = new WeakSet(); // boxes that were at their end once; then a person scrolls them
  let following = false;

  const unfinished = () => document.querySelector("ol.transcript[data-next]");

  async function follow() {
    const list = unfinished();
    if (!list) {
      following = false;
      return;
    }
    const still = document.hidden || document.documentElement.dataset.updates === "paused";
    setTimeout(follow, still ? pace : await pause(list));
  }

  // Adds what there is, and says how long to wait for more.
  async function pause(list) {
    try {
      return await more(list) ? 0 : pace;
    } catch {
      return patience;
    }
  }

  // Reports that there may be more at once.
  async function more(list) {
    const piece = await fetchPiece(list.dataset.next);
    const box = list.closest(".scroll");
    const atEnd = !box || box.scrollHeight - box.scrollTop - box.clientHeight < near;
    const moved = piece.dataset.next !== list.dataset.next;
    append(list, piece);
    if (box && atEnd) box.scrollTop = box.scrollHeight;
    return moved && "next" in list.dataset;
  }

  async function fetchPiece(address) {
    const answer = await fetch(address, { headers: { "Stellwerk-Part": "records" }, cache: "no-store" });
    if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
    const html = await answer.text();
    const piece = new DOMParser().parseFromString(html, "text/html").querySelector("ol.transcript");
    if (!piece) throw new Error("no transcript");
    return piece;
  }

  function append(list, piece) {
    if (piece.childElementCount > 0) {
      list.parentElement.querySelector("ol.transcript + p")?.remove(); // "nothing was said yet"
    }
    list.append(...piece.children);
    while (list.childElementCount > most) list.firstElementChild.remove();
    if (piece.dataset.next) list.dataset.next = piece.dataset.next;
    else delete list.dataset.next;
  }

  function begin() {
    for (const list of document.querySelectorAll("ol.transcript")) {
      const box = list.closest(".scroll");
      if (!box || seen.has(box)) continue;
      seen.add(box);
      box.scrollTop = box.scrollHeight;
    }
    if (following || !unfinished()) return;
    following = true;
    follow();
  }

  document.addEventListener("stellwerk:shown", begin);
  begin();
})();
