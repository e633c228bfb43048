// The key / searches, as Ctrl+K does, where it writes nothing.
addEventListener("keydown", event => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches(":read-write, select")) return;
  event.preventDefault();
  document.querySelector(".search-button").click();
});
