// Moves through a run's history as the slider does. Without it, links and the
// button lead to the same pages.
"use strict";
(() => {
  const slider = () => document.getElementById("at");
  let busy = false, wanted = null, playing = 0;

  // Only one question is under way; of those that come meanwhile the last counts.
  async function go(seq) {
    const s = slider();
    s.value = seq;
    document.getElementById("at-says").textContent = s.value;
    wanted = s.value;
    if (busy) return;
    busy = true;
    try {
      while (wanted !== null) {
        const at = wanted;
        wanted = null;
        const address = s.form.action + "?at=" + encodeURIComponent(at);
        const answer = await fetch(address, { headers: { "Stellwerk-Part": "moment" }, cache: "no-store" });
        if (!answer.ok || answer.redirected) { location.assign(address); return; }
        Idiomorph.morph(document.getElementById("moment"), await answer.text(), { morphStyle: "outerHTML" });
        history.replaceState(null, "", address);
        document.getElementById("page").dataset.still = ""; // it shows what was
      }
    } catch { stop(); } finally { busy = false; }
  }

  function stop() {
    clearInterval(playing); playing = 0;
    const play = document.getElementById("play");
    if (play) play.textContent = "▶ Play";
  }
  function play() {
    if (playing) { stop(); return; }
    const s = slider();
    if (s.value === s.max) go(1);
    document.getElementById("play").textContent = "❚❚ Stop";
    playing = setInterval(() => {
      if (busy) return;
      if (!slider() || Number(slider().value) >= Number(slider().max)) { stop(); return; }
      go(Number(slider().value) + 1);
    }, 500);
  }

  document.addEventListener("input", (e) => { if (e.target.id === "at") { stop(); go(e.target.value); } });
  document.addEventListener("click", (e) => {
    if (e.target.id === "play") { play(); return; }
    const link = e.target.closest("#moment a[data-at]");
    if (!link || e.ctrlKey || e.metaKey || e.shiftKey || e.button !== 0) return;
    e.preventDefault();
    stop();
    go(link.dataset.at);
  });

  function dress() {
    if (!slider()) return;
    document.getElementById("play").hidden = false;
    document.getElementById("at-go").hidden = true;
  }
  document.addEventListener("stellwerk:shown", dress);
  dress();
})();
