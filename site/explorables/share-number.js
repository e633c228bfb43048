// How many keys share the weight, and which share of them (chapter 9): normal
// rows at a fixed scale, and at one that grows like log n.

const SET_AT = 512;  // the length at which both laws have the scale

/** Return how many of n keys share the weight, by the mean of Σp². */
function effectiveNumber(n, alpha) {
  return 1 / (1 - meanGradientNorm(n, alpha) / alpha);
}

/** Return the scale at n of a law that has a scale at 512 keys. */
function scaleOfLaw(law, n, alpha) {
  return law === "log" ? alpha * Math.log(n) / Math.log(SET_AT) : alpha;
}

if (globalThis.HTMLElement) {
  const LAWS = { fixed: "α fixed", log: "α ∝ log n" };
  const LENGTHS = Array.from({ length: 25 }, (_, i) => 2 ** (4 + i / 2)).map(Math.round);
  const countText = x => (x < 99.5 ? x.toPrecision(2) : Math.round(x).toLocaleString("en"));
  const shareText = x => `${Number((100 * x).toPrecision(2))}%`;

  customElements.define("share-number", class extends Explorable {
    static title = "The number of keys that share the weight, and their share";
    static controls = [
      { name: "fixed", label: "fixed scale", min: 0.2, max: 5, step: 0.1, value: 1, show: alpha => alpha.toFixed(1) },
      { name: "log", label: "∝ log n: at 512", min: 0.2, max: 5, step: 0.1, value: 2.5, show: alpha => alpha.toFixed(1) },
      {
        name: "n", label: "keys n", min: 4, max: 16, step: 0.5, value: 9,
        toValue: x => Math.round(2 ** x), toPosition: Math.log2, show: n => n.toLocaleString("en"),
      },
    ];

    build(views) {
      this.plots = [0, 1].map(() => new Plot(views, { height: 220, right: 74 }));
    }

    fromAddress(parameters) {
      const state = super.fromAddress(parameters);
      return { ...state, n: Math.round(state.n) };
    }

    show(state) {
      const { n } = state;
      const number = (law, m) => effectiveNumber(m, scaleOfLaw(law, m, state[law]));
      const ranges = [[1, 65_536, "number"], [0.001, 100, "share, %"]];
      this.plots.forEach((plot, share) => {
        const value = (law, m) => number(law, m) * (share ? 100 / m : 1);
        const [min, max, label] = ranges[share];
        plot.draw({
          x: { min: 16, max: 65_536, log: true, label: "number of keys n" },
          y: { min, max, log: true, label },
          lines: Object.entries(LAWS).map(([law, name]) => ({
            points: LENGTHS.map(m => [m, value(law, m)]), role: law === "log" ? "simulation" : "theory", label: name,
          })),
          points: Object.keys(LAWS).map(law => (
            { at: [n, value(law, n)], role: law === "log" ? "simulation" : "theory" })),
          rules: [{ x: n, label: "" }],
        });
      });
      const said = Object.entries(LAWS).map(([law, name]) =>
        [name, `${countText(number(law, n))} of ${n.toLocaleString("en")}, ${shareText(number(law, n) / n)}`]);
      this.read(said);
      return said.map(([name, text]) => `With ${name}, ${text} of the keys share the weight.`).join(" ");
    }
  });
}
