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

/** Write a limit as one reads it. */
function limitText(x) {
  if (x < 1e6) return x.toLocaleString("en");
  return "10" + [...String(Math.log10(x))].map(d => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]).join("");
}

/**
 * Read what stands in a field: {value}, or {fault}, which says what it should
 * be. 0,02 is a number, as is 32k or 131,072 keys.
 */
function readField({ label, min, max, value, options, whole }, text) {
  const written = text?.trim() ?? "";
  if (options) return { value: Object.hasOwn(options, written) ? written : value };
  if (!written && value === "") return { value };
  const [, digits, unit] = /^(.*?)\s*([kKmM]?)$/.exec(written);
  const plain = whole && /^\d{1,3}([,_ ]\d{3})+$/.test(digits) ? digits.replace(/[,_ ]/g, "") : digits.replace(",", ".");
  const number = plain ? Number(plain.replace("−", "-")) * 1024 ** " km".indexOf(unit.toLowerCase() || " ") : NaN;
  if (number >= min && number <= max) return { value: whole ? Math.round(number) : number };
  return { fault: `${label}: from ${limitText(min)} to ${limitText(max)}` + (written ? `, not ${written}` : "") };
}

if (globalThis.HTMLElement) {
  globalThis.Calculator = class extends Explorable {
    /** Return the row of a control: its name, and its field. */
    slider(control) {
      const { name, label, options, hint } = control;
      const id = `${this.localName}-${name}`;
      const input = options
        ? htmlElement("select", { id }, ...Object.entries(options).map(([value, text]) =>
          htmlElement("option", { value }, text)))
        : htmlElement("input", { id, type: "text", inputmode: "decimal", autocomplete: "off" });
      if (hint) input.placeholder = hint;
      const fault = htmlElement("small", { id: `${id}-fault`, class: "calculator-fault" });
      input.addEventListener("input", () => this.take(control, input.value));
      this.sliders.set(name, { input, fault });
      return htmlElement("div", { class: "calculator-field" },
        htmlElement("label", { for: id }, ...withSubscripts(label)), input, fault);
    }

    /** Take what is written in a field, or say what it should be. */
    take(control, text) {
      const { value, fault } = readField(control, text);
      this.blame(control.name, fault);
      if (!fault) this.change({ ...this.state, [control.name]: value });
      else this.update();
    }

    /** Show what is wrong with a field, or that nothing is. */
    blame(name, fault) {
      (this.faults ??= new Map())[fault ? "set" : "delete"](name, fault);
      const { input, fault: said } = this.sliders.get(name);
      said.textContent = fault ?? "";
      input.toggleAttribute("aria-invalid", Boolean(fault));
      if (fault) input.setAttribute("aria-describedby", said.id);
    }

    defaults() {
      return Object.fromEntries(this.constructor.controls.map(({ name, value }) => [name, value]));
    }

    fromAddress(parameters) {
      return Object.fromEntries(this.constructor.controls.map(control => {
        const text = parameters.get(control.name);
        const { value = control.value, fault } = text === null ? {} : readField(control, text);
        if (fault) {
          this.blame(control.name, fault);
          this.sliders.get(control.name).input.value = text;
        }
        return [control.name, value];
      }));
    }

    showControl({ name }, value) {
      const { input } = this.sliders.get(name);
      // Who writes is not interrupted, and what was typed stays.
      if (!this.faults?.has(name) && (input !== document.activeElement || input.tagName === "SELECT")) {
        input.value = value;
      }
    }

    update() {
      super.update();
      const faults = [...this.faults?.values() ?? []];
      this.panel.classList.toggle("calculator-waits", faults.length > 0);
      if (!faults.length) return;
      this.sentence = `${faults.join("; ")}.`;
      this.answer.textContent = this.sentence;
      setText(this.status, this.sentence);
    }

    connectedCallback() {
      super.connectedCallback();
      this.controls.className = "calculator-fields";
      this.panel.querySelector(".explorable-tools button").addEventListener("click", () => {
        for (const [name, { input }] of this.sliders) {
          this.blame(name);
          input.value = this.state[name];
        }
        this.update();
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
