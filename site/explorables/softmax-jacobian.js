// Softmax and its Jacobian (chapter 3): drag the scores, turn the scale, and
// see the weights, their derivatives, and the gradient norm.

/** Read scores from text, two to twelve tenths from -3 to 3, or null. */
function readScores(text) {
  const numbers = (text ?? "").trim().split(/[\s,]+/).map(word => word ? Number(word) : NaN);
  if (numbers.length < 2 || !numbers.every(Number.isFinite)) return null;
  return numbers.slice(0, 12).map(s => Math.round(10 * Math.min(3, Math.max(-3, s))) / 10);
}

/** Write a number that is not negative in a few digits. */
function shortNumber(x) {
  if (x === 0 || x >= 0.001) return x.toFixed(x < 9.9995 ? 3 : 2);
  const [digits, power] = x.toExponential(1).split("e-");
  return `${digits}·10⁻${[...power].map(d => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]).join("")}`;
}

// Twelve scores each, of which the first n count.
const SOFTMAX_SCORES = {
  "Mixed": [1, 0.5, 0.2, 0, -0.3, -0.6, -0.9, -1.2, -1.5, -1.8, -2.1, -2.4],
  "One far ahead": [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  "Nearly tied": [1, 0.9, 0.2, 0, -0.3, -0.6, -0.9, -1.2, -1.5, -1.8, -2.1, -2.4],
  "Two tied": [1, 1, 0.2, 0, -0.3, -0.6, -0.9, -1.2, -1.5, -1.8, -2.1, -2.4],
  "All equal": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  // default_rng(5).standard_normal(12), rounded
  "Normal": [-0.8, -1.3, -0.2, 0.4, 1.1, 0.1, -0.6, -0.8, 0.7, 1.6, 0.3, -1.2],
};

if (globalThis.HTMLElement) {
  const SCALES = Array.from({ length: 301 }, (_, i) => 10 ** (i / 100 - 1));
  const KEYS = Array.from({ length: 12 }, (_, i) => i);
  const LOWEST = 0.001;
  const index = i => [...String(i + 1)].map(d => "₀₁₂₃₄₅₆₇₈₉"[d]).join("");
  const fixed = (x, digits) => x.toFixed(digits).replace(/^-/, "−");

  customElements.define("softmax-jacobian", class extends Explorable {
    static title = "Softmax and its Jacobian";
    static controls = [{
      name: "alpha", label: "scale α", min: -1, max: 2, step: 0.05, value: 0,
      toValue: x => Number((10 ** x).toPrecision(2)), toPosition: Math.log10,
    }, {
      name: "n", label: "keys n", min: 2, max: 12, step: 1, value: 6,
    }];

    defaults() {
      return { ...super.defaults(), scores: SOFTMAX_SCORES["Mixed"] };
    }

    fromAddress(parameters) {
      const state = super.fromAddress(parameters);
      const given = readScores(parameters.get("scores")) ?? [];
      state.n = given.length || Math.round(state.n);
      state.scores = KEYS.map(i => given[i] ?? state.scores[i]);
      return state;
    }

    toAddress(parameters) {
      super.toAddress(parameters);
      const { n, scores } = this.state;
      const [text, start] = [scores, this.defaults().scores].map(s => s.slice(0, n).join(" "));
      parameters.delete("scores");
      if (text === start) return;
      parameters.set("scores", text);
      parameters.delete("n");  // the scores tell
    }

    build(views) {
      const add = (parent, name, attributes, ...children) =>
        parent.appendChild(htmlElement(name, attributes, ...children));
      const presets = add(views, "p", { class: "explorable-tools" }, "Scores:");
      for (const [name, scores] of Object.entries(SOFTMAX_SCORES)) {
        add(presets, "button", { type: "button" }, name)
          .addEventListener("click", () => this.change({ ...this.state, scores }));
      }
      const board = add(views, "div", { class: "softmax-board" });
      // A key a row: sliders that lie let a finger scroll past them.
      const keys = add(board, "div", { class: "softmax-keys" },
        htmlElement("p", {}, "scores s: drag them"), htmlElement("p", {}, "weights p"));
      this.keys = KEYS.map(i => {
        const row = add(keys, "div", {}, i + 1);
        const input = add(row, "input", {
          type: "range", min: -3, max: 3, step: 0.1, "aria-label": `score of key ${i + 1}`,
        });
        slideAcross(input, () => this.change({
          ...this.state,
          scores: this.state.scores.map((s, k) => k === i ? input.valueAsNumber : s),
        }), () => this.update());
        const [score, bar, weight] = ["span", "i", "span"].map(name =>
          add(row, name, { "aria-hidden": true }));
        return { row, input, score, bar, weight };
      });
      const curve = add(board, "div", {}, htmlElement("p", {}, "gradient norm, at all scales"));
      this.plot = new Plot(add(curve, "div"), { height: 292 });
      dragAcross(this.plot, at => {
        const { left, right } = this.plot.margin;
        const share = (at - left) / (this.plot.width - left - right);
        const alpha = Math.min(100, Math.max(0.1, 10 ** (3 * share - 1)));
        this.change({ ...this.state, alpha: Number(alpha.toPrecision(2)) });
      });
      const matrix = add(board, "div", {},
        htmlElement("p", {}, "J/α: how weight (row) follows score (column)"));
      this.map = new HeatMap(matrix, {
        label: "J over α", at: [1, 0], choose: () => this.showEntry(),
      });
      this.entry = htmlElement("p", { class: "softmax-entry" });
      add(board, "div", {}, this.entry, this.readings);
    }

    show({ alpha, n, scores }) {
      const s = scores.slice(0, n);
      const p = this.p = softmax(s, alpha);
      // First, as it asks for its width: after a change that is a layout.
      this.showCurve(s, alpha);
      this.keys.forEach(({ row, input, score, bar, weight }, i) => {
        row.hidden = i >= n;
        if (i >= n) return;
        input.value = s[i];
        input.setAttribute("aria-valuetext", `${fixed(s[i], 1)}, weight ${fixed(p[i], 2)}`);
        setText(score, fixed(s[i], 1));
        bar.style.setProperty("--weight", p[i].toFixed(4));
        setText(weight, fixed(p[i], 2));
      });
      this.map.draw(jacobian(p, 1), 1 / 4);
      this.showEntry();
      const [H, norm, gap] = [shannon(p), gradientNorm(p, alpha), gapOf(s)];
      const most = Math.log(n).toFixed(3);
      this.read([
        ["gradient norm ½‖J‖₁", shortNumber(norm)],
        ["gap of the best, αΔ", shortNumber(alpha * gap)],
        ["largest weight", Math.max(...p).toFixed(3)],
        [`entropy, of log n = ${most} nats`, shortNumber(H)],
        ["Σp²", collision(p).toFixed(3)],
        ["effective keys, 1/Σp²", (1 / collision(p)).toFixed(2)],
      ]);
      return `Scale ${alpha}: largest weight ${Math.max(...p).toFixed(2)}, entropy `
        + `${shortNumber(H)} of ${most} nats, gradient norm ${shortNumber(norm)}.`;
    }

    showEntry() {
      const { p, state: { alpha }, map: { at: [i, j] } } = this;
      const [a, b] = [index(i), index(j)];
      const size = shortNumber(Math.abs(jacobian(p, alpha)[i][j]));
      const words = `Raise score ${j + 1}, and weight ${i + 1} ${i === j ? "rises" : "falls"}:`;
      this.entry.replaceChildren(words, htmlElement("br"), i === j
        ? `∂p${a}/∂s${a} = α p${a} (1 − p${a}) = ${size}`
        : `∂p${a}/∂s${b} = −α p${a} p${b} = −${size}`);
    }

    showCurve(s, alpha) {
      const draw = norms => SCALES.map((scale, i) => [scale, Math.max(norms[i], 1e-30)]);
      const equal = scale => scale * (1 - 1 / s.length);
      const turn = Math.log(s.length) / gapOf(s);
      const norm = gradientNorm(softmax(s, alpha), alpha);
      this.plot.draw({
        x: { min: 0.1, max: 100, log: true, label: "scale α" },
        y: { min: LOWEST, max: 100, log: true, label: "½‖J‖₁" },
        lines: [
          { points: draw(SCALES.map(equal)), role: "quiet", dashed: true },
          { points: draw(gradientNorms(s, SCALES)), role: "theory" },
        ],
        points: norm < LOWEST ? [] : [{ at: [alpha, norm], role: "theory" }],
        rules: turn > 0.1 && turn < 100 ? [{ x: turn, label: "αΔ = log n" }] : [],
      });
      const { svg, x, y } = this.plot;
      svgElement("text", {
        x: x(3), y: y(equal(3)) - 8, "text-anchor": "end", class: "role-quiet",
      }, svg, "all scores equal");
    }
  });
}
