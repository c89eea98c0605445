// Before the first paint, so that a chosen theme does not flash; the page's policy allows no inline script.
try {
  const chosen = localStorage.getItem('drydock.theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
} catch {
  // Storage may be disabled: the system's theme is then used.
}
