// Moves through a run's history as the slider does. Without it, links and the
// button lead to the same pages.
"use strict";
(() => {
  const slider = () => document.getElementById("at");
  const stride = 500; // milliseconds, while it plays
  let busy = false;
  let wanted = null;
  let playing = 0;

  // Only one question is under way; of those that come meanwhile the last counts.
  async function go(seq) {
    const rail = slider();
    rail.value = seq;
    wanted = rail.value;
    document.getElementById("at-says").textContent = wanted;
    if (busy) return;
    busy = true;
    try {
      while (wanted !== null) {
        const address = rail.form.action + "?at=" + encodeURIComponent(wanted);
        wanted = null;
        if (!await showMoment(address)) return;
      }
    } catch {
      stop();
    } finally {
      busy = false;
    }
  }

  // Reports false where the browser has to go there instead.
  async function showMoment(address) {
    const answer = await fetch(address, { headers: { "Stellwerk-Part": "moment" }, cache: "no-store" });
    if (!answer.ok || answer.redirected) {
      location.assign(address);
      return false;
    }
    Idiomorph.morph(document.getElementById("moment"), await answer.text(), { morphStyle: "outerHTML" });
    history.replaceState(null, "", address);
    document.getElementById("page").dataset.still = ""; // it shows what was
    return true;
  }

  function stop() {
    clearInterval(playing);
    playing = 0;
    const button = document.getElementById("play");
    if (button) button.textContent = "▶ Play";
  }

  function play() {
    if (playing) {
      stop();
      return;
    }
    const rail = slider();
    if (rail.value === rail.max) go(1);
    document.getElementById("play").textContent = "❚❚ Stop";
    playing = setInterval(step, stride);
  }

  function step() {
    if (busy) return;
    const rail = slider();
    if (!rail || Number(rail.value) >= Number(rail.max)) {
      stop();
      return;
    }
    go(Number(rail.value) + 1);
  }

  document.addEventListener("input", (event) => {
    if (event.target.id !== "at") return;
    stop();
    go(event.target.value);
  });

  document.addEventListener("click", (event) => {
    if (event.target.id === "play") {
      play();
      return;
    }
    const link = event.target.closest("#moment a[data-at]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
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
