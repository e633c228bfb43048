// The third finding, on the front page: the published mean gradient has a
// best scale, and the exact one rises everywhere.

/** Return what is read at a scale of rows of n keys, as numbers by name. */
function frontNumbers(n, alpha) {
  const optimum = annealedOptimum(n);
  return {
    optimum,
    claimed: annealedGradientNorm(n, optimum),
    published: annealedGradientNorm(n, alpha),
    exact: meanGradientNorm(n, alpha),
  };
}

if (globalThis.HTMLElement) {
  const WIDEST = 5;  // scale

  customElements.define("front-curve", class extends Explorable {
    static title = "The published and the exact mean gradient";
    static controls = [
      {
        name: "n", label: "keys n", min: 3, max: 20, step: 0.5, value: 7,
        toValue: x => Math.round(2 ** x), toPosition: Math.log2,
        show: n => n.toLocaleString("en"),
      },
      {
        name: "alpha", label: "scale α", min: 0, max: WIDEST, step: 0.05, value: 3,
        show: alpha => alpha.toFixed(2),
      },
    ];

    build(views) {
      this.plot = new Plot(views, { height: 230 });
      dragAcross(this.plot, at => {
        const [left, right] = [0, WIDEST].map(this.plot.x);
        const alpha = WIDEST * (at - left) / (right - left);
        this.change({ ...this.state, alpha: Number(Math.min(WIDEST, Math.max(0, alpha)).toFixed(2)) });
      });
      views.append(htmlElement("p", { class: "explorable-caption" },
        "The third finding: the average gradient of softmax over rows of n independent normal scores, against"
        + " the scale; drag it. The solid line is exact. The dashed line is the published formula."));
    }

    fromAddress(parameters) {
      const state = super.fromAddress(parameters);
      return { ...state, n: Math.round(state.n) };
    }

    show({ n, alpha }) {
      const found = frontNumbers(n, alpha);
      const published = found.published < 0 ? "below 0" : found.published.toFixed(2);
      const curve = (f, end) => Array.from({ length: 101 }, (_, i) => [end * i / 100, f(end * i / 100)]);
      const edge = Math.sqrt(Math.log(n));  // where the published curve is 0
      const beside = alpha < edge || alpha > edge + 1.9;  // the word is not on the rule
      const high = Math.ceil(meanGradientNorm(n, WIDEST)) + 0.5;
      this.plot.draw({
        x: { min: 0, max: WIDEST, label: "scale α" },
        y: { min: 0, max: high, label: "mean gradient" },
        rules: [{ x: alpha, label: "" }],
        lines: [
          { points: curve(a => annealedGradientNorm(n, a), Math.min(WIDEST, 1.01 * edge)), role: "wrong", dashed: true },
          { points: curve(a => meanGradientNorm(n, a), WIDEST), role: "theory" },
        ],
        points: [
          { at: [found.optimum, found.claimed], role: "wrong" },
          ...(found.published < 0 ? [] : [{ at: [alpha, found.published], role: "wrong", open: true }]),
          { at: [alpha, found.exact], role: "theory", open: true },
        ],
        texts: [
          { at: [edge + (beside ? 0.07 : -0.25), 0], below: -8, role: "wrong", text: "published", end: !beside },
          { at: [WIDEST, meanGradientNorm(n, WIDEST)], below: -9, role: "theory", text: "exact", end: true },
        ],
      });
      this.read([
        ["published best scale", found.optimum.toFixed(2)],
        [`published at\u00a0${alpha.toFixed(2)}`, published],
        [`exact at\u00a0${alpha.toFixed(2)}`, found.exact.toFixed(2)],
      ]);
      return `For ${n} keys the published best scale is ${found.optimum.toFixed(2)}.`
        + ` At the scale ${alpha.toFixed(2)} the published mean gradient is ${published},`
        + ` the exact one ${found.exact.toFixed(2)}, and it rises everywhere.`;
    }
  });
}
