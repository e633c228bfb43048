// The window of a scale β on cosines (chapter 7): below it no training can
// give each of n classes its weight, above it a few of n random keys win.

/**
 * Return K(β) = log E exp(βc) of the cosine c of two random directions in d
 * dimensions, and its slope, from the series of Bessel's function.
 */
function cosineLogMean(beta, d) {
  let [term, sum, slope] = [1, 1, 0];
  for (let k = 1; term > 1e-17 * sum; k++) {
    term *= beta * beta / 4 / (k * (d / 2 + k - 1));
    sum += term;
    slope += 2 * k * term / beta;
  }
  return [Math.log(sum), slope / sum];
}

/** Return the scale at which rows of n random keys freeze, in d dimensions. */
function cosineFreezing(n, d) {
  const excess = beta => {
    const [mean, slope] = cosineLogMean(beta, d);
    return beta * slope - mean - Math.log(n);
  };
  // Above √(2d log n), and the excess rises.
  let low = Math.sqrt(2 * d * Math.log(n)) / 2;
  let high = 2 * cosineFreezingFormula(n, d) + d;
  while (high - low > 1e-12 * high) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (excess(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Return the formula for it, d n^(2/d) √(1 − n^(−2/d)). */
function cosineFreezingFormula(n, d) {
  return d * n ** (2 / d) * Math.sqrt(-Math.expm1(-2 / d * Math.log(n)));
}

/** Return the least scale that can give each of n classes a weight. */
function leastCosineScale(n, weight) {
  return (n - 1) / n * Math.log((n - 1) * weight / (1 - weight));
}

/**
 * Return the scale that is enough for a right key's weight, by the mean of its
 * odds against n - 1 random directions, or NaN.
 */
function rightKeyScale(n, d, weight, cosine) {
  const lead = Math.log((n - 1) * weight / (1 - weight));
  return d * (cosine - Math.sqrt(cosine ** 2 - 2 * lead / d));
}

// Of published code, as in the chapter's figure: name, β, n, d.
const COSINE_SYSTEMS = [
  ["SimCSE", 20, 1024, 768], ["CLIP, cap", 100, 32768, 512], ["ArcFace", 64, 85742, 512],
  ["MoCo v1", 14.3, 65537, 128], ["AM-Softmax", 30, 10516, 512], ["MoCo v2", 5, 65537, 128],
];

if (globalThis.HTMLElement) {
  const [FEWEST, MOST] = [100, 1e6];
  const DRAWN = Array.from({ length: 41 }, (_, i) => FEWEST * (MOST / FEWEST) ** (i / 40));

  customElements.define("cosine-window", class extends TypedExplorable {
    static title = "The window of a scale on cosines";
    static controls = [
      {
        name: "d", label: "dimension d", min: 4, max: 11, step: 0.5, value: 9,
        toValue: x => Math.round(2 ** x), toPosition: Math.log2, show: String,
      },
      {
        name: "n", label: "keys n", min: 2, max: 6, step: 0.05, value: 5,
        toValue: x => Math.round(10 ** x), toPosition: Math.log10, show: n => n.toLocaleString("en"),
      },
      {
        name: "weight", label: "weight P wanted", min: 0.05, max: 0.99, step: 0.01, value: 0.5,
        show: weight => weight.toFixed(2),
      },
      {
        name: "c", label: "right key’s c₁", min: 0.1, max: 1, step: 0.01, value: 0.5,
        show: c => c.toFixed(2),
      },
    ];

    build(views) {
      this.plot = new Plot(views, { height: 300 });
      dragAcross(this.plot, at => {
        const { left, right } = this.plot.margin;
        const share = (at - left) / (this.plot.width - left - right);
        const n = Math.round(FEWEST * (MOST / FEWEST) ** Math.min(1, Math.max(0, share)));
        this.change({ ...this.state, n });
      });
    }

    fromAddress(parameters) {
      const { d, n, ...rest } = super.fromAddress(parameters);
      return { ...rest, d: Math.round(d), n: Math.round(n) };
    }

    show({ d, n, weight, c }) {
      const right = m => rightKeyScale(m, d, weight, c);
      const [low, high] = [leastCosineScale(n, weight), cosineFreezing(n, d)];
      const upper = DRAWN.map(m => [m, cosineFreezing(m, d)]);
      const inside = COSINE_SYSTEMS.filter(system => system[3] === d);
      this.plot.draw({
        x: { min: FEWEST, max: MOST, log: true, label: "number of keys n" },
        y: { min: 2, max: 1000, log: true, label: "scale β" },
        rules: [{ x: n, label: "" }],
        lines: [
          { points: [[n, low], [n, high]], role: "ink", faint: true },
          { points: DRAWN.map(m => [m, leastCosineScale(m, weight)]), role: "theory" },
          { points: upper, role: "theory" },
          { points: DRAWN.map(m => [m, right(m)]).filter(at => at[1] > 0), role: "simulation" },
          { points: DRAWN.map(m => [m, Math.sqrt(2 * d * Math.log(m))]), role: "quiet", dashed: true },
        ],
        points: [
          { at: [n, low], role: "theory" }, { at: [n, high], role: "theory" },
          ...(right(n) > 0 ? [{ at: [n, right(n)], role: "simulation" }] : []),
          ...inside.map(([, beta, keys]) => ({ at: [keys, beta], role: "practice", open: true })),
        ],
        texts: [
          { at: [FEWEST * 1.1, upper[1][1]], below: -16, role: "theory", text: "a few random keys win" },
          { at: [FEWEST * 1.1, leastCosineScale(FEWEST, weight)], below: 20, role: "theory", text: "out of reach" },
          ...(right(FEWEST) > 0 ? [
            { at: [FEWEST * 1.1, right(FEWEST)], below: -20, role: "simulation", text: "a right key" },
          ] : []),
          ...inside.map(([name, beta, keys]) => ({
            at: [keys, beta], below: beta < 2 * right(keys) ? -10 : 18,
            role: "practice", text: name, end: keys > 1e4,
          })),
        ],
      });
      const root = Math.sqrt(d);
      this.read([
        ["lower end", low.toFixed(2)],
        ["upper end β_c", high.toFixed(1)],
        ["√(2\u00a0d\u00a0log\u00a0n)", Math.sqrt(2 * d * Math.log(n)).toFixed(1)],
        ["a right key’s scale", right(n) > 0 ? right(n).toFixed(1) : "none"],
        ["as scales α = β/√d", `${(low / root).toFixed(2)} to ${(high / root).toFixed(2)}`],
      ]);
      return `For ${n} keys in ${d} dimensions and the weight ${weight} the window`
        + ` of the scale is from ${low.toFixed(1)} to ${high.toFixed(1)}.`;
    }
  });
}
