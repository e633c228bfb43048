// An explorable in which each value can also be typed, in a field where
// others write it beside its slider.

if (globalThis.HTMLElement) {
  globalThis.TypedExplorable = class extends Explorable {
    slider(control) {
      const row = super.slider(control);
      const { toValue = Number, name } = control;
      const field = htmlElement("input", {
        type: "number", step: "any", min: toValue(control.min), max: toValue(control.max),
        "aria-label": `${control.label}, as a number`,
      });
      field.addEventListener("change", () => this.change(this.fromAddress(
        new URLSearchParams({ ...this.state, [name]: field.value || this.state[name] }))));
      row.lastChild.replaceWith(field);
      this.sliders.get(name).field = field;
      return row;
    }

    showControl(control, value) {
      super.showControl(control, value);
      this.sliders.get(control.name).field.value = value;
    }
  };
}
