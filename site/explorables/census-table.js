// The census of published models, to look a model up by name: a table that a
// search field, a list of scales and a tick filter. Without scripts what
// stands inside the element stays.

/** Return the rows of the census that hold all that is asked for. */
function censusRows(rows, words, scale, norm) {
  const plain = text => text.toLowerCase().replace(/[-_.]/g, "");
  const wanted = plain(words).split(/\s+/).filter(word => word);
  return rows.filter(row => {
    const text = plain(`${row.model} ${row.cls}`);
    return wanted.every(word => text.includes(word)) &&
      (!scale || row.scale === scale) && (!norm || row.qknorm !== "");
  });
}

/** Return the rows that the table of the census stores as lines of text. */
function readCensus(text) {
  const [head, ...lines] = text.trim().split("\n").map(line => line.split("|"));
  return lines.map(line => Object.fromEntries(head.map((name, i) => [name, line[i]])));
}

/** Write a scale as one would by hand. */
function scaleText(scale) {
  return scale.replaceAll("sqrt(d)", "√d").replaceAll("sqrt", "√").replaceAll(" x ", " × ");
}

if (globalThis.HTMLElement) {
  /** Return a name with places where its line may break. */
  const inParts = name => name.split(/(?<=_)|(?=[A-Z][a-z])/)
    .flatMap((part, i) => (i ? [document.createElement("wbr"), part] : [part]));
  const SHOWN = 25;
  const COLUMNS = [
    ["model", row => [...inParts(row.model),
      make("small", {}, ...inParts(row.cls), ` : ${row.line}, ${row.added}`)]],
    ["scale", row => [scaleText(row.scale)]],
    ["at default", row => [scaleText(row.default)]],
    ["besides", row => [[row.qknorm && `QK-norm: ${row.qknorm}`, row.besides].filter(x => x).join(", ")]],
  ];

  /** Return a new element with attributes and children. */
  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };

  customElements.define("census-table", class extends HTMLElement {
    connectedCallback() {
      if (this.panel) return;
      this.rows = readCensus(globalThis.CENSUS);
      const fallback = make("div", { class: "explorable-static" });
      fallback.append(...this.childNodes);
      this.words = make("input", { type: "search", name: "model", autocomplete: "off" });
      const scales = [...new Set(this.rows.map(row => row.scale))].sort();
      this.scale = make("select", { name: "scale" }, make("option", { value: "" }, "any"),
        ...scales.map(scale => make("option", { value: scale }, scaleText(scale))));
      this.norm = make("input", { type: "checkbox", name: "norm" });
      const asked = new URLSearchParams(location.search);
      this.words.value = asked.get("model") ?? "";
      this.scale.value = scales.includes(asked.get("scale")) ? asked.get("scale") : "";
      this.norm.checked = asked.get("norm") === "1";
      this.status = make("p", { role: "status" });
      this.body = make("tbody");
      const head = make("tr", {}, ...COLUMNS.map(([title]) => make("th", { scope: "col" }, title)));
      const table = make("table", { class: "table" }, make("thead", {}, head), this.body);
      this.panel = make("div", {
        class: "explorable census", role: "group", "aria-label": "Look a model up in the census",
      },
      make("p", { class: "census-fields" },
        make("label", {}, "Model ", this.words), make("label", {}, "Scale ", this.scale),
        make("label", {}, this.norm, " with QK-norm")),
      this.status,
      make("div", { class: "census-rows", tabindex: "0", role: "region", "aria-label": "Classes found" }, table));
      this.panel.addEventListener("input", () => {
        this.show();
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.keep(), 400);
      });
      this.append(this.panel, fallback);
      this.show();
    }

    /** Write what is asked for into the address, which can be sent to others. */
    keep() {
      const address = new URL(location.href);
      const asked = {
        model: this.words.value.trim(), scale: this.scale.value, norm: this.norm.checked ? "1" : "",
      };
      for (const [name, value] of Object.entries(asked)) {
        if (value) address.searchParams.set(name, value);
        else address.searchParams.delete(name);
      }
      address.hash = this.id;
      history.replaceState(history.state, "", address);
    }

    show() {
      const found = censusRows(this.rows, this.words.value, this.scale.value, this.norm.checked);
      const more = found.length > SHOWN ? `; ${SHOWN} are shown: first those that do not divide by √d, the newest at the top` : "";
      this.status.textContent = found.length
        ? `${found.length} of ${this.rows.length} classes${more}.`
        : `None of the ${this.rows.length} classes is like that. A part of a name is enough.`;
      this.body.replaceChildren(...found.slice(0, SHOWN).map(row =>
        make("tr", {}, ...COLUMNS.map(([, text]) => make("td", {}, ...text(row))))));
    }
  });
}
