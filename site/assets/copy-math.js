// Who copies text with a formula gets its TeX.
document.addEventListener("copy", event => {
  const selection = getSelection();
  if (selection.isCollapsed) return;
  const range = selection.getRangeAt(0);
  const whole = node => (node.closest ? node : node.parentElement).closest(".math");
  // A formula that is cut in two is copied whole.
  const first = whole(range.startContainer), last = whole(range.endContainer);
  if (first) range.setStartBefore(first);
  if (last) range.setEndAfter(last);
  const copied = range.cloneContents();
  copied.querySelectorAll(".source-note").forEach(note => note.remove());
  const formulas = copied.querySelectorAll(".math[data-tex]");
  if (!formulas.length) return;
  const html = document.createElement("div");
  html.append(copied.cloneNode(true));
  for (const formula of formulas) {
    const sign = formula.tagName === "DIV" ? "$$" : "$";
    // Behind its last piece a formula may hold a full stop.
    const behind = formula.querySelector(".held")?.lastChild.data ?? "";
    formula.replaceWith(sign + formula.dataset.tex + sign + behind);
  }
  event.clipboardData.setData("text/html", html.innerHTML);
  event.clipboardData.setData("text/plain", copied.textContent);
  event.preventDefault();
});
