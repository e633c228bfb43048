// A matrix as a table of coloured cells, with the sign of each entry written
// in it. One entry is chosen: by pointer, by touch, or with the arrow keys.

/** Write a number with its sign, and with nothing but its sign if narrow. */
function signedText(x, digits, narrow = false) {
  const text = Math.abs(x).toFixed(digits);
  if (Number(text) === 0) return narrow ? "" : "0";
  return (x < 0 ? "−" : "+") + (narrow ? "" : text);
}

/** A heat map in a parent; `choose(i, j)` is called with the chosen entry. */
class HeatMap {
  static steps = {
    ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  };

  constructor(parent, { label, choose, at = [0, 0] }) {
    this.choose = choose;
    this.at = at;
    this.cells = [];
    this.table = htmlElement("table", { class: "heat-map", role: "grid", "aria-label": label });
    parent.append(htmlElement("div", { class: "heat-map-box" }, this.table));
    for (const type of ["pointerover", "click", "focusin", "keydown"]) {
      this.table.addEventListener(type, event => this.listen(event));
    }
  }

  listen(event) {
    const cell = event.target.closest("td[tabindex]");
    if (!cell) return;
    let [i, j] = [cell.parentNode.rowIndex - 1, cell.cellIndex - 1];
    if (event.type === "keydown") {
      const step = HeatMap.steps[event.key];
      if (!step) return;
      event.preventDefault();
      [i, j] = [i + step[0], j + step[1]];
      if (!this.cells[i]?.[j]) return;
    }
    this.mark([i, j]);
    if (event.type === "keydown") this.cells[i][j].focus();
    this.choose(i, j);
  }

  /** Mark an entry as chosen: the one that the tab key reaches. */
  mark(at) {
    const cellAt = ([i, j]) => this.cells[i]?.[j];
    cellAt(this.at)?.setAttribute("tabindex", -1);
    this.at = at;
    cellAt(this.at).setAttribute("tabindex", 0);
  }

  /** Show a square matrix; entries of the size `most` have the full colour. */
  draw(matrix, most) {
    const n = matrix.length;
    if (this.cells.length !== n) this.build(n);
    matrix.forEach((row, i) => row.forEach((value, j) => {
      const cell = this.cells[i][j];
      setText(cell, signedText(value, 2, n > 6));
      cell.ariaLabel = signedText(value, 2);
      cell.className = value < 0 ? "negative" : "positive";
      // the root, so that small entries can be told from none
      cell.style.setProperty("--share", Math.sqrt(Math.abs(value) / most).toFixed(3));
    }));
  }

  build(n) {
    this.table.style.setProperty("--size", n);
    const heads = Array.from({ length: n }, (_, i) => i + 1);
    const head = (scope, k) => htmlElement("th", { scope }, k);
    this.cells = heads.map(() => heads.map(() => htmlElement("td", { tabindex: -1 })));
    this.table.replaceChildren(
      htmlElement("tr", {}, htmlElement("td"), ...heads.map(k => head("col", k))),
      ...this.cells.map((row, i) => htmlElement("tr", {}, head("row", i + 1), ...row)));
    this.mark(this.at.map(i => Math.min(i, n - 1)));
  }
}
