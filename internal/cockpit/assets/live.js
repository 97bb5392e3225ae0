// Hears what moves on in the engine, and misses nothing.
//
// Who listens. Browsers allow few connections to one place, so one page listens
// for all pages of the browser: the one that holds a lock. It tells the others.
// They ask for it every few seconds. Where no answer comes, or one that is by a
// page which has heard nothing for long, the lock is taken away: its holder is
// frozen, and some browsers let even those answer. A page that is looked at also
// takes it from one that is not, for those are frozen first. Who has lost the lock,
// or is told that it will be frozen, hangs up.
//
// From where. The engine counts its moves; a position is its name and that count.
// A page says where the engine stood before it was made (data-at), and from then
// on knows a position up to which it has heard of everything. News say from which
// position to which they reach. What a page knows, it passes over; where news begin
// after what it knows there is a gap, and anything may have moved. An answer is
// news about nothing, and shows a gap as well. So it does not matter when a page
// was made, when it began to hear and who told it: whoever begins to listen does so
// at what it knows itself, and the others see from the news what they lack.
//
// Whether anybody is there. The engine gives a sign of life every ten seconds. A
// connection that is silent for longer is given up and made anew.
"use strict";
(() => {
  const askEvery = 5000; // milliseconds
  const answerWithin = 3000;
  const silence = 25000;
  const patience = 3000; // after the engine refused
  const words = { on: "live", wait: "reconnecting", gone: "offline", off: "static" };
  const light = document.getElementById("live");
  const position = () => document.getElementById("page").dataset.at;

  let known = position();
  let source = null; // where this page listens
  let reached = known; // by what it listens to
  let alive = 0; // when that was heard last

  // --- Positions.

  function behind(mine, theirs) {
    const [engine, count] = mine.split(".");
    const [other, number] = theirs.split(".");
    return engine !== other || Number(count) < Number(number);
  }

  function hear({ from, to, moved }) {
    if (!behind(known, to)) return;
    const all = behind(known, from);
    known = to;
    const detail = { ...(all ? { all } : moved), listens: source !== null };
    document.dispatchEvent(new CustomEvent("stellwerk:moved", { detail }));
  }

  document.addEventListener("stellwerk:shown", () => {
    if (behind(known, position())) known = position();
  });

  // --- The state of the connection.

  function say(state) {
    if (light.dataset.state === state) return;
    light.dataset.state = state;
    dress();
  }

  function dress() {
    const paused = document.documentElement.dataset.updates === "paused";
    light.querySelector(".says").textContent = paused ? "paused" : words[light.dataset.state];
  }

  document.addEventListener("stellwerk:paused", dress);

  // --- Listening.

  function listen() {
    source?.close();
    alive = Date.now();
    source = new EventSource("/live?since=" + encodeURIComponent(reached));
    source.onopen = () => announce("on");
    source.onerror = lost;
    source.addEventListener("beat", () => { alive = Date.now(); });
    source.addEventListener("moved", (event) => {
      alive = Date.now();
      const moved = JSON.parse(event.data);
      const news = { from: reached, to: moved.at, moved };
      reached = moved.at;
      tell(news);
      hear(news);
    });
  }

  // The browser tries again by itself, except where it was refused.
  function lost() {
    const refused = source.readyState === EventSource.CLOSED;
    announce(refused ? "gone" : "wait");
    if (!refused) return;
    const closed = source;
    setTimeout(() => {
      if (source !== closed) return;
      document.dispatchEvent(new CustomEvent("stellwerk:refused"));
      listen();
    }, patience);
  }

  setInterval(() => {
    if (!source || source.readyState === EventSource.CLOSED || Date.now() - alive < silence) return;
    announce("wait");
    listen();
  }, askEvery);

  // --- Telling the others. Only in a secure place are there locks; elsewhere every
  // page listens for itself.

  const channel = navigator.locks ? new BroadcastChannel("stellwerk-live") : null;
  let queued = false;
  let release = () => {};
  let unanswered = 0;

  function announce(state) {
    alive = Date.now();
    say(state);
    tell({ from: reached, to: reached });
  }

  function tell(news) {
    channel?.postMessage({ ...news, state: light.dataset.state, hidden: document.hidden, quiet: Date.now() - alive });
  }

  function receive(message) {
    if (source) {
      if (message.ask) tell({ from: reached, to: reached });
      return;
    }
    if (message.ask) return;
    clearTimeout(unanswered);
    say(message.state);
    hear(message);
    if (message.quiet > silence + askEvery || (message.hidden && !document.hidden)) take();
  }

  function ask() {
    if (source) return;
    channel.postMessage({ ask: true });
    clearTimeout(unanswered);
    unanswered = setTimeout(() => source || take(), answerWithin);
  }

  function begin() {
    reached = known;
    listen();
    return new Promise((done) => { release = done; });
  }

  function take() {
    navigator.locks.request("stellwerk-live", { steal: true }, begin).catch(leave);
  }

  function queue() {
    if (queued) return;
    queued = true;
    navigator.locks.request("stellwerk-live", () => {
      queued = false;
      return begin();
    }).catch(leave);
  }

  function leave() {
    release();
    source?.close();
    source = null;
    queue();
    ask();
  }

  if (!channel) {
    begin();
    return;
  }
  channel.onmessage = (event) => receive(event.data);
  queue();
  ask();
  setInterval(ask, askEvery);
  document.addEventListener("freeze", leave);
  document.addEventListener("visibilitychange", () => {
    if (source) tell({ from: reached, to: reached });
    else if (!document.hidden) ask();
  });
})();
