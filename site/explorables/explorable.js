// What every explorable has: the static figure it stands for, controls that
// work by mouse, touch and keyboard, a setting that lives in the page's
// address, and a sentence for those who hear the page.
//
// A subclass names its controls, builds its views once, and shows a setting:
//
//   static title = "what it is, for those who hear it";
//   static controls = [{
//     name: "alpha",            // in the state and in the address
//     label: "scale α",         // beside the slider
//     min: 0, max: 8, step: 0.1, value: 1,      // positions of the slider
//     toValue: x => 10 ** x, toPosition: Math.log10,   // if not the same
//     show: (alpha, state) => alpha.toFixed(1), // the value as text
//   }];
//   build(views) {}             // once: add what will show the state
//   show(state) { return "what is seen, as a sentence"; }

/** Return a new HTML element with attributes and children. */
function htmlElement(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** Write text where it has changed: each change costs a layout. */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Return text as children of an element, the c of α_c lowered. */
function withSubscripts(text) {
  return text.split(/_(\w)/).map((piece, i) => (i % 2 ? htmlElement("sub", {}, piece) : piece));
}

/** Read a number from text: the nearest allowed one, or the default. */
function readNumber(text, lowest, highest, otherwise) {
  const number = text?.trim() ? Number(text) : NaN;
  if (!Number.isFinite(number)) return otherwise;
  return Math.min(highest, Math.max(lowest, number));
}

if (globalThis.HTMLElement) {
  globalThis.Explorable = class extends HTMLElement {
    static title = "";
    static controls = [];
    static columns = "";  // of the readings, in a style sheet's words

    connectedCallback() {
      if (this.panel) return;
      const figure = htmlElement("div", { class: "explorable-static" });
      figure.append(...this.childNodes);
      this.sliders = new Map();
      this.state = {};
      this.panel = htmlElement("div", {
        class: "explorable", role: "group", "aria-label": this.constructor.title,
      });
      this.controls = htmlElement("div", { class: "explorable-controls" });
      this.controls.append(...this.constructor.controls.map(c => this.slider(c)));
      const views = htmlElement("div", { class: "explorable-views" });
      this.readings = htmlElement("dl", { class: "explorable-readings" });
      this.readings.style.setProperty("--columns", this.constructor.columns);
      this.status = htmlElement("p", { class: "visually-hidden", role: "status" });
      this.link = htmlElement("a", { href: "" }, "Link to this setting");
      const reset = htmlElement("button", { type: "button" }, "Reset");
      reset.addEventListener("click", () => this.change(this.defaults()));
      const tools = htmlElement("p", { class: "explorable-tools" }, reset, this.link);
      this.panel.append(this.controls, views, this.readings, tools, this.status);
      // Links to the figure lead to what now stands for it.
      const named = figure.querySelector("figure[id]");
      if (named) {
        this.panel.id = named.id;
        named.removeAttribute("id");
      }
      this.append(this.panel, figure);
      this.build(views);
      this.state = this.fromAddress(new URLSearchParams(location.search));
      const [visit] = performance.getEntriesByType("navigation");
      if (visit?.type === "reload" && location.hash === `#${this.id}`) this.comeBack();
      // Also called once at the start. What changes sizes waits for the next
      // frame, or Firefox reports a loop.
      new ResizeObserver(() => requestAnimationFrame(() => this.update()))
        .observe(views);
    }

    /** Return the row of a control: its name, its slider, its value. */
    slider(control) {
      const id = `${this.localName}-${control.name}`;
      const input = htmlElement("input", {
        id, type: "range", min: control.min, max: control.max, step: control.step,
      });
      // Not heard by itself: the slider says its value.
      const output = htmlElement("output", { for: id, "aria-hidden": true });
      slideAcross(input, () => {
        const value = (control.toValue ?? Number)(input.valueAsNumber);
        this.change({ ...this.state, [control.name]: value });
      }, () => this.update());
      this.sliders.set(control.name, { input, output });
      const label = htmlElement("label", { for: id }, control.label);
      return htmlElement("div", { class: "explorable-control" }, label, input, output);
    }

    /** Return the setting at the start; a subclass may add to it. */
    defaults() {
      const pairs = this.constructor.controls.map(({ name, value, toValue = Number }) =>
        [name, toValue(value)]);
      return Object.fromEntries(pairs);
    }

    /** Return the setting in an address; what makes no sense is left out. */
    fromAddress(parameters) {
      const state = this.defaults();
      for (const { name, min, max, toValue = Number } of this.constructor.controls) {
        state[name] = readNumber(
          parameters.get(name), toValue(min), toValue(max), state[name]);
      }
      return state;
    }

    /** Write what differs from the start into an address. */
    toAddress(parameters) {
      const start = this.defaults();
      for (const [name, value] of Object.entries(this.state)) {
        const text = String(value);
        if (text === String(start[name])) parameters.delete(name);
        else parameters.set(name, text);
      }
    }

    /** Scroll to here, and again when the blocks above have their height. */
    comeBack() {
      this.scrollIntoView();
      let stays = true;
      for (const type of ["wheel", "touchstart", "keydown", "pointerdown"]) {
        addEventListener(type, () => { stays = false; }, { once: true, passive: true });
      }
      new MutationObserver(() => { if (stays) this.scrollIntoView(); })
        .observe(document.documentElement, { attributeFilter: ["data-laid"] });
    }

    /** Take a new setting and show it. */
    change(state) {
      this.state = state;
      this.update();
      // Not at every step of a slider: browsers limit this, and a voice
      // that is interrupted says nothing.
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.status.textContent = this.sentence;
        // A page that is loaded again comes back to what was set: what the
        // browser restores is a place in a page that is not yet laid out.
        const place = this.address("").includes("?") ? this.id : "";
        history.scrollRestoration = place ? "manual" : "auto";
        history.replaceState(history.state, "", this.address(place));
      }, 400);
    }

    /** Show the setting: sliders, values, views and readings. */
    update() {
      for (const control of this.constructor.controls) {
        this.showControl(control, this.state[control.name]);
      }
      this.sentence = this.show(this.state);
      this.link.href = this.address(this.id);
    }

    /** Show the value of a control. */
    showControl({ name, show = String, toPosition = Number }, value) {
      const { input, output } = this.sliders.get(name);
      const text = show(value, this.state);
      input.value = toPosition(value);
      input.setAttribute("aria-valuetext", text);
      output.textContent = text;
    }

    /** Return the address of the page at this setting, with a place in it. */
    address(place) {
      const address = new URL(location.href);
      this.toAddress(address.searchParams);
      address.hash = place;
      return address.href;
    }

    /** Show numbers under their names: [[name, text], …]. */
    read(pairs) {
      this.readings.replaceChildren(...pairs.map(([name, text]) =>
        htmlElement("div", {}, htmlElement("dt", {}, ...withSubscripts(name)),
          htmlElement("dd", {}, ...withSubscripts(text)))));
    }
  };
}
