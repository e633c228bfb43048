// What both calculators are: fields in which one writes numbers, where other
// explorables have sliders; lines of Python to copy; a sentence that answers.
//
//   static controls = [{
//     name: "n", label: "keys n", min: 2, max: 1e12, value: 8192, whole: true,
//   }, {
//     name: "cap", label: "soft cap", min: 1, max: 1e4, value: "",  // or none
//   }, {
//     name: "start", label: "…", value: "qk", options: { qk: "with QK-norm" },
//   }];

/** Return a number as one writes it in Python: 131_072, 0.02. */
function pythonNumber(x) {
  return Number.isInteger(x) && x >= 10_000 ? x.toLocaleString("en").replaceAll(",", "_") : String(x);
}

/** Write a number from 0 in four digits, in full where that is readable. */
function fourDigits(x) {
  if (Number.isNaN(x)) return "–";
  if (x > 0 && x < 1e-4) return "below 0.0001";
  return x >= 1000 ? Math.round(x).toLocaleString("en") : String(Number(x.toPrecision(4)));
}

/** Write a share in per cent, and tell if it is next to nothing. */
function percent(share) {
  if (Number.isNaN(share)) return "–";
  if (share > 0 && share < 5e-5) return "below 0.01%";
  return `${Number((100 * share).toPrecision(3))}%`;
}

/** Return what a field holds: an option, a number in its range, or none. */
function readField({ min, max, value, options, whole }, text) {
  if (options) return Object.hasOwn(options, text ?? "") ? text : value;
  if (value === "" && !text?.trim()) return "";
  const number = readNumber(text, min, max, value);
  return whole && number !== "" ? Math.round(number) : number;
}

if (globalThis.HTMLElement) {
  globalThis.Calculator = class extends Explorable {
    /** Return the row of a control: its name, and its field. */
    slider(control) {
      const { name, label, min, max, options, hint } = control;
      const id = `${this.localName}-${name}`;
      const input = options
        ? htmlElement("select", { id }, ...Object.entries(options).map(([value, text]) =>
          htmlElement("option", { value }, text)))
        : htmlElement("input", { id, type: "number", min, max, step: "any", inputmode: "decimal" });
      if (hint) input.placeholder = hint;
      input.addEventListener("input", () => {
        // Half of a number, such as "0.", waits for the rest.
        if (input.validity.badInput) return;
        this.change({ ...this.state, [name]: readField(control, input.value) });
      });
      // What was not taken as it stands is shown as it was taken.
      input.addEventListener("change", () => { input.value = this.state[name]; });
      this.sliders.set(name, { input });
      return htmlElement("div", { class: "calculator-field" },
        htmlElement("label", { for: id }, ...withSubscripts(label)), input);
    }

    defaults() {
      return Object.fromEntries(this.constructor.controls.map(({ name, value }) => [name, value]));
    }

    fromAddress(parameters) {
      return Object.fromEntries(this.constructor.controls.map(control =>
        [control.name, readField(control, parameters.get(control.name))]));
    }

    showControl({ name }, value) {
      const { input } = this.sliders.get(name);
      // Who writes is not interrupted.
      if (input !== document.activeElement || input.type !== "number") input.value = value;
    }

    connectedCallback() {
      super.connectedCallback();
      this.controls.className = "calculator-fields";
      this.panel.querySelector(".explorable-tools button").addEventListener("click", () => {
        for (const [name, { input }] of this.sliders) input.value = this.state[name];
      });
    }

    /** Add what answers: a sentence, and Python with a button to copy it. */
    build(views) {
      this.answer = htmlElement("p", { class: "calculator-answer" });
      this.code = htmlElement("pre", { class: "calculator-code", tabindex: 0, "aria-label": "The same in Python" });
      const copy = htmlElement("button", { type: "button" }, "Copy the Python");
      copy.addEventListener("click", async () => {
        // A page that is opened from a folder may not be allowed to.
        const done = await navigator.clipboard?.writeText(this.code.textContent)
          .then(() => "Copied", () => "Select it, and copy by hand") ?? "Select it, and copy by hand";
        setText(copy, done);
        setTimeout(() => setText(copy, "Copy the Python"), 2000);
      });
      views.append(this.answer);
      this.panel.querySelector(".explorable-readings").after(this.code);
      this.panel.querySelector(".explorable-tools").prepend(copy);
    }
  };
}
