// The chosen theme is set before anything is drawn, so that nothing flashes.
(() => {
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch { /* storage is closed: the system's choice stands */ }
})();
