// Every form that is sent carries what the browser signed in with beside its
// code: other programs on this machine may be sent the cookie, and never this.
"use strict";
(() => {
  function proof() {
    try {
      return localStorage.getItem("proof") || "";
    } catch {
      return ""; // storage is closed, and was when it signed in
    }
  }

  function proofField(form) {
    const there = form.querySelector("input[name=proof]");
    if (there) return there;
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = "proof";
    form.append(field);
    return field;
  }

  document.addEventListener("submit", (event) => {
    if (event.target.method === "post") proofField(event.target).value = proof();
  }, true); // before it is sent in place
})();
