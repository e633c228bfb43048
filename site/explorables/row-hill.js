// One row of normal scores at a scale: where its weight lies, and the hill
// where it would lie if every sum over the keys equalled its mean.

const HILL_BINS = { low: -6, width: 0.25, count: 68 };

/** Return n standard normal scores, the largest first; a seed is a row. */
function normalRow(n, seed) {
  let state = 7919 * seed;
  // the generator of Lehmer, with the constants of Park, Miller and Stockmeyer
  const uniform = () => (state = 48271 * state % 2147483647) / 2147483647;
  for (let i = 0; i < 20; i++) uniform();
  const scores = new Float64Array(n);
  for (let i = 0; i < n; i += 2) {
    const [size, angle] = [Math.sqrt(-2 * Math.log(uniform())), 2 * Math.PI * uniform()];
    scores[i] = size * Math.cos(angle);
    scores[i + 1] = size * Math.sin(angle);
  }
  return scores.sort().reverse();
}

/** Return what one says of a row at a scale, and its weight by bins of scores. */
function hillNumbers(scores, alpha) {
  const { low, width, count } = HILL_BINS;
  const bins = Array(count).fill(0);
  let [total, squares, mean] = [0, 0, 0];
  for (const s of scores) {
    const weight = Math.exp(alpha * (s - scores[0]));
    total += weight;
    squares += weight * weight;
    mean += weight * s;
    bins[Math.floor((s - low) / width)] += weight;
  }
  const collision = squares / total ** 2;
  return {
    bins: bins.map(weight => weight / total),
    best: 1 / total,
    collision,
    mean: mean / total,
    gradient: alpha * (1 - collision),
    annealed: alpha * (1 - Math.exp(alpha * alpha) / scores.length),
  };
}

if (globalThis.HTMLElement) {
  const HILL_STEPS = { "½ α_c": 0.5, "α_c": 1, "2 α_c": 2 };
  const freezing = n => Math.sqrt(2 * Math.log(n));
  const twoDigits = x => (Math.abs(x) < 1e6 ? Number(x.toPrecision(3)).toLocaleString("en") : x.toExponential(0))
    .replace("-", "−").replace("e+", "e");

  customElements.define("row-hill", class extends Explorable {
    static title = "Where the weight of a row lies, and the hill";
    static columns = "repeat(auto-fit, minmax(8rem, 1fr))";
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
      { name: "row", label: "another row", min: 1, max: 20, step: 1, value: 1, show: String },
    ];

    build(views) {
      this.plot = new Plot(views, { height: 230 });
      const buttons = Object.entries(HILL_STEPS).map(([name, b]) => {
        const button = htmlElement("button", { type: "button" }, ...withSubscripts(name));
        button.addEventListener("click", () => this.change({
          ...this.state, alpha: Math.min(10, Math.round(10 * b * freezing(this.state.n)) / 10),
        }));
        return button;
      });
      views.after(htmlElement("p", { class: "row-steps" }, ...buttons));
    }

    fromAddress(parameters) {
      const state = super.fromAddress(parameters);
      return { ...state, n: 2 ** Math.round(Math.log2(state.n)), row: Math.round(state.row) };
    }

    show({ alpha, n, row }) {
      if (this.drawn !== `${n} ${row}`) {
        this.scores = normalRow(n, row);
        this.drawn = `${n} ${row}`;
      }
      const numbers = hillNumbers(this.scores, alpha);
      const { low, width } = HILL_BINS;
      const edge = i => low + i * width;
      const hill = Array.from({ length: 154 }, (_, i) => low + i / 9);
      this.plot.draw({
        x: { min: -4, max: 11, label: "score" },
        y: { min: 0, max: 1.1 * Math.max(0.12, ...numbers.bins), label: "share of the weight" },
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
        points: Array.from(this.scores.slice(0, 5), s => ({ at: [s, 0], role: "ink", open: true })),
        rules: [{ x: alpha, label: "top of the hill", role: "wrong" }],
      });
      const percent = `${(100 * numbers.best).toPrecision(2)}%`;
      this.read([
        ["freezing scale α_c", freezing(n).toFixed(2)],
        ["best score", this.scores[0].toFixed(2)],
        ["weight of the best", percent],
        ["effective keys", twoDigits(1 / numbers.collision)],
        ["gradient", numbers.gradient.toFixed(2)],
        ["gradient by the hill", twoDigits(numbers.annealed)],
      ]);
      return `At the scale ${alpha.toFixed(1)} the hill has its top at ${alpha.toFixed(1)}, and the best of ${n}`
        + ` scores is ${this.scores[0].toFixed(2)}, with ${percent} of the weight. The gradient of the row is`
        + ` ${numbers.gradient.toFixed(2)}, the hill's ${twoDigits(numbers.annealed)}.`;
    }
  });
}
