// A code in the link is sent as the form would be, and is taken out of the
// address first, so that it stays in no history. Without one, somebody who came
// from another site's link may have signed in already: the browser kept the
// cookie back from that link, and gives it to a page of this one.
"use strict";
(() => {
  const form = document.getElementById("sign-in");
  const code = window.location.hash.slice(1);
  if (code !== "") {
    window.history.replaceState(null, "", window.location.pathname + window.location.search);
    form.elements.code.value = code;
    form.submit();
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
