// One row of normal scores at a scale: where its weight lies, and the hill
// where it would lie if every sum over the keys equalled its mean.

const HILL_BINS = { low: -6, width: 0.25, count: 68 };

/** Return what one says of a row at a scale, and its weight by bins of scores. */
function hillNumbers(scores, alpha) {
  const { low, width, count } = HILL_BINS;
  const bins = Array(count).fill(0);
  let [total, squares] = [0, 0];
  for (const s of scores) {
    const weight = Math.exp(alpha * (s - scores[0]));
    total += weight;
    squares += weight * weight;
    bins[Math.floor((s - low) / width)] += weight;
  }
  const collision = squares / total ** 2;
  return {
    bins: bins.map(weight => weight / total),
    best: 1 / total,
    collision,
    gradient: alpha * (1 - collision),
    annealed: annealedGradientNorm(scores.length, alpha),
  };
}

if (globalThis.HTMLElement) {
  const HILL_STEPS = { "½ α_c": 0.5, "α_c": 1, "2 α_c": 2 };

  customElements.define("row-hill", class extends Explorable {
    static title = "The weight of a row";
    static controls = [
      {
        name: "alpha", label: "scale α", min: 0, max: 10, step: 0.1, value: 2.1,
        show: alpha => alpha.toFixed(1),
      },
      {
        name: "n", label: "keys n", min: 4, max: 17, step: 1, value: 13,
        toValue: x => 2 ** Math.round(x), toPosition: Math.log2,
        show: n => n.toLocaleString("en"),
      },
      { name: "row", label: "row", min: 1, max: 20, step: 1, value: 1, show: String },
    ];

    build(views) {
      this.plot = new Plot(views, { height: 270 });
      const buttons = Object.entries(HILL_STEPS).map(([name, b]) => {
        const button = htmlElement("button", { type: "button" }, ...withSubscripts(name));
        button.addEventListener("click", () => this.change({
          ...this.state, alpha: Number((b * freezingScale(this.state.n)).toFixed(1)),
        }));
        return button;
      });
      views.after(htmlElement("p", { class: "row-steps" }, ...buttons));
    }

    fromAddress(parameters) {
      const state = super.fromAddress(parameters);
      return { ...state, n: 2 ** Math.round(Math.log2(state.n)) };
    }

    show({ alpha, n, row }) {
      const key = 100 * n + row;
      if (this.key !== key) this.scores = normalRow(n, row);
      this.key = key;
      const numbers = hillNumbers(this.scores, alpha);
      const { low, width } = HILL_BINS;
      const edge = i => low + i * width;
      const hill = Array.from({ length: 154 }, (_, i) => low + i / 9);
      this.plot.draw({
        x: { min: -4, max: 11, label: "score" },
        y: { min: 0, max: 1, label: "weight" },
        lines: [
          {
            points: numbers.bins.flatMap((share, i) => [
              [edge(i), 0], [edge(i), share], [edge(i + 1), share], [edge(i + 1), 0]]),
            role: "simulation",
          },
          {
            points: hill.map(s => [s, width * Math.exp(-((s - alpha) ** 2) / 2) / Math.sqrt(2 * Math.PI)]),
            role: "wrong", dashed: true,
          },
        ],
        points: Array.from(this.scores.slice(0, 5), s => ({ at: [s, 0], role: "ink" })),
        rules: [{ x: alpha, label: "top of the hill", role: "wrong" }],
      });
      const keys = 1 / numbers.collision;
      const percent = `${(100 * numbers.best).toPrecision(2)}%`;
      this.read([
        ["α_c", freezingScale(n).toFixed(2)],
        ["best score", this.scores[0].toFixed(2)],
        ["weight of the best", percent],
        ["effective keys", keys < 100 ? keys.toPrecision(3) : Math.round(keys).toLocaleString("en")],
        ["gradient", numbers.gradient.toFixed(2)],
        ["gradient by the hill", numbers.annealed < 0 ? "below 0" : numbers.annealed.toFixed(2)],
      ]);
      return `The best of ${n} scores has ${percent} of the weight.`;
    }
  });
}
