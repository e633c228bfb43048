// At which scale does the gradient of a row turn (chapter 5)? Six rows of 512
// normal scores; of the one that is chosen the reader draws the curve, and
// sees the others when it has turned.

const [TURNING_KEYS, FIRST_ROW, TURNING_ROWS] = [512, 13, 6];
const [LOWEST_SCALE, HIGHEST_SCALE] = [0.5, 300];

/** Return the scores of row 1 to 6, the largest first. */
function turningRow(row) {
  return [...normalRow(TURNING_KEYS, FIRST_ROW - 1 + row)];
}

/** Return a curve of the gradient, [[scale, gradient], …], and its maximum. */
function turningCurve(scores) {
  const ratio = HIGHEST_SCALE / LOWEST_SCALE;
  const curve = gradientNorms(scores, Array.from({ length: 321 }, (_, i) => LOWEST_SCALE * ratio ** (i / 320)))
    .map((gradient, i) => [LOWEST_SCALE * ratio ** (i / 320), gradient]);
  return { curve, top: curve.reduce((best, point) => point[1] > best[1] ? point : best) };
}

if (globalThis.HTMLElement) {
  customElements.define("row-turns", class extends Explorable {
    static title = "Where the gradient of a row turns";
    static controls = [
      {
        name: "alpha", label: "scale α", min: Math.log10(LOWEST_SCALE), max: Math.log10(HIGHEST_SCALE),
        step: 0.01, value: 0, toValue: x => Number((10 ** x).toPrecision(3)), toPosition: Math.log10,
        show: alpha => String(Number(alpha.toPrecision(2))),
      },
      { name: "row", label: "row", min: 1, max: TURNING_ROWS, step: 1, value: 2, show: String },
    ];

    build(views) {
      this.plot = new Plot(views, { height: 250 });
      dragAcross(this.plot, at => {
        const { left, right } = this.plot.margin;
        const share = Math.min(1, Math.max(0, (at - left) / (this.plot.width - left - right)));
        const alpha = LOWEST_SCALE * (HIGHEST_SCALE / LOWEST_SCALE) ** share;
        this.change({ ...this.state, alpha: Number(alpha.toPrecision(3)) });
      });
      this.bars = barsElement(views);
      this.rows = Array.from({ length: TURNING_ROWS }, (_, i) => turningRow(i + 1));
      this.curves = this.rows.map(turningCurve);
    }

    fromAddress(parameters) {
      const { alpha, row } = super.fromAddress(parameters);
      return { alpha, row: Math.round(row) };
    }

    show({ alpha, row }) {
      const { curve, top } = this.curves[row - 1];
      const scores = this.rows[row - 1];
      const weights = softmax(scores, alpha);
      const gradient = gradientNorm(weights, alpha);
      const drawn = [...curve.filter(([scale]) => scale < alpha), [alpha, gradient]];
      const turned = alpha > top[0];
      this.plot.draw({
        x: { min: LOWEST_SCALE, max: HIGHEST_SCALE, log: true, label: "scale α" },
        y: { min: 0.3, max: 30, log: true, label: "gradient of a row" },
        lines: [
          ...turned ? this.curves.map(other => ({ points: other.curve, role: "quiet", faint: true })) : [],
          { points: drawn, role: "ink" },
        ],
        points: [{ at: [alpha, gradient], role: "simulation" }, ...turned ? [{ at: top, role: "ink", open: true }] : []],
        rules: [{ x: annealedOptimum(TURNING_KEYS), label: "published", role: "wrong" }],
      });
      drawBars(this.bars, this.plot, weights.slice(0, 12), 1 / TURNING_KEYS, "weights of the twelve best keys");
      const shares = weights.slice(0, 2).map(weight => `${Number((100 * weight).toPrecision(2))}%`);
      this.read([
        ["gradient", gradient.toFixed(2)],
        ["turned at", turned ? top[0].toPrecision(2) : "not yet"],
        ["best key, second", shares.join(", ")],
        ["lead of the best score", gapOf(scores).toFixed(3)],
      ]);
      return `Row ${row} at the scale ${alpha}: the gradient is ${gradient.toFixed(2)}, `
        + (turned ? `and was largest at ${top[0].toPrecision(2)}.` : "and still rises.");
    }
  });
}
