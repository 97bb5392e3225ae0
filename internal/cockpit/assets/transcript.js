// Adds to a transcript what an agent says while it is looked at. It asks for
// what follows, piece by piece: nobody has to keep a connection for it.
"use strict";
(() => {
  const pace = 1000, patience = 5000; // milliseconds until the next question; after one that failed
  const most = 1000; // records that a page keeps
  const seen = new WeakSet(); // boxes that were at their end once; then a person scrolls them
  let following = false;

  async function follow() {
    const list = document.querySelector("ol.transcript[data-next]");
    if (!list) { following = false; return; }
    let wait = pace;
    if (!document.hidden) {
      try { wait = (await more(list)) ? 0 : pace; } catch { wait = patience; }
    }
    setTimeout(follow, wait);
  }

  async function more(list) {
    const answer = await fetch(list.dataset.next, { headers: { "Stellwerk-Part": "records" }, cache: "no-store" });
    if (!answer.ok || answer.redirected) throw new Error(answer.statusText);
    const piece = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("ol.transcript");
    if (!piece) throw new Error("no transcript");
    const box = list.closest(".scroll");
    const atEnd = !box || box.scrollHeight - box.scrollTop - box.clientHeight < 60;
    const moved = piece.dataset.next !== list.dataset.next;
    if (piece.childElementCount > 0) list.parentElement.querySelector("ol.transcript + p")?.remove(); // "nothing was said yet"
    list.append(...piece.children);
    while (list.childElementCount > most) list.firstElementChild.remove();
    if (piece.dataset.next) list.dataset.next = piece.dataset.next; else delete list.dataset.next;
    if (box && atEnd) box.scrollTop = box.scrollHeight;
    return moved && "next" in list.dataset;
  }

  function begin() {
    for (const list of document.querySelectorAll("ol.transcript")) {
      const box = list.closest(".scroll");
      if (box && !seen.has(box)) { seen.add(box); box.scrollTop = box.scrollHeight; }
    }
    if (!following && document.querySelector("ol.transcript[data-next]")) { following = true; follow(); }
  }
  document.addEventListener("stellwerk:shown", begin);
  begin();
})();
