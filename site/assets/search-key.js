// The key / searches, as Ctrl+K does, where it writes nothing. The box that
// opens answers while one writes: what it needs for that comes when it opens.
addEventListener("keydown", event => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches(":read-write, select")) return;
  event.preventDefault();
  document.querySelector(".search-button").click();
});
{
  const box = document.getElementById("pst-search-dialog");
  const load = name => new Promise((onload, onerror) => {
    const src = `${document.documentElement.dataset.content_root ?? "./"}_static/${name}`;
    document.head.append(Object.assign(document.createElement("script"), { src, onload, onerror, async: false }));
  });
  const opened = box && new MutationObserver(() => {
    if (!box.open) return;
    opened.disconnect();
    const results = box.appendChild(Object.assign(document.createElement("div"), { className: "found-in-box" }));
    Promise.all(["places.js", "find.js"].map(load)).then(() =>
      answerField(box.querySelector("input"), results, MOST_IN_BOX));
  });
  opened?.observe(box, { attributeFilter: ["open"] });
}
