// A code in the link is sent as the form would be, and is taken out of the
// address first, so that it stays in no history. Where another site led here,
// or the link was opened in a tab that shows this page already, a person sends it.
// Somebody who came from another site's link may have signed in already: the
// browser kept the cookie back from that link, and gives it to a page of this one.
// Who is known to have signed in goes on where the link has no code, and is signed
// in anew where it has one; the engine asks whether they want to be somebody else.
// With the code goes a secret that this browser keeps for this place alone: a
// cookie is sent to whatever listens on the same machine, and proves nothing.
"use strict";
(() => {
  const form = document.getElementById("sign-in");
  try {
    let proof = localStorage.getItem("proof");
    if (!proof) {
      proof = Array.from(crypto.getRandomValues(new Uint8Array(32)), (b) => b.toString(16).padStart(2, "0")).join("");
      localStorage.setItem("proof", proof);
    }
    form.elements.proof.value = proof;
  } catch { /* storage is closed: the session goes by its cookie alone */ }
  function take() {
    const code = window.location.hash.slice(1);
    if (code === "") return false;
    window.history.replaceState(null, "", window.location.pathname + window.location.search);
    form.elements.code.value = code;
    return true;
  }
  window.addEventListener("hashchange", take);
  if (take()) {
    if (!("ask" in form.dataset)) {
      form.submit();
      return;
    }
    document.getElementById("ask").hidden = false;
    if ("signed" in form.dataset) return;
  } else if ("signed" in form.dataset && !("sure" in form.dataset)) {
    window.location.replace(form.elements.next.value);
    return;
  }
  if (document.querySelector("[role=alert]") === null) {
    fetch(window.location.href, { credentials: "same-origin", redirect: "manual" }).then((answer) => {
      if (answer.type === "opaqueredirect") {
        window.location.replace(form.elements.next.value);
      }
    }, () => {});
  }
})();
