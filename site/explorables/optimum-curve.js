// Three averages of the gradient norm ½‖J‖₁ = alpha (1 − Σp²) over rows of n
// normal scores, against the scale: the published approximation, which has a
// maximum (annealed.js); the exact mean, which has none (averages.js); and the
// geometric mean, from the table in geometric-mean-table.js.

/** Interpolate between ascending points by six around x (Lagrange). */
function interpolateBySix(xs, ys, x) {
  const above = xs.findIndex(value => value > x);
  const middle = above < 0 ? xs.length : above;
  const start = Math.min(Math.max(middle - 3, 0), xs.length - 6);
  const near = xs.slice(start, start + 6);
  return near.reduce((sum, xi, i) => sum + ys[start + i] * near.reduce(
    (weight, xj, j) => (i === j ? weight : weight * (x - xj) / (xi - xj)), 1), 0);
}

/**
 * Return the geometric mean of the gradient norm at one n, as a function of
 * alpha up to 2 α_c, and the scale at which it is largest.
 */
function geometricOfLength(n) {
  const { keys, b: bs, meanLog } = GEOMETRIC_MEAN;
  const loglog = m => Math.log(Math.log(m));
  const [counts, x] = [keys.map(loglog), loglog(n)];
  const row = bs.map((_, i) => interpolateBySix(counts, meanLog.map(r => r[i]), x));
  const critical = freezingScale(n);
  const inside = n >= keys[0] && n <= keys.at(-1);
  const gradientNorm = alpha => {
    const b = alpha / critical;
    // 2 α_c may be rounded up.
    if (!inside || !(b >= 0 && b <= bs.at(-1) + 1e-12)) return NaN;
    return alpha * Math.exp(interpolateBySix(bs, row, b));
  };
  // It has one maximum, not far from α_c: golden section.
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [low, high] = inside ? [0.9 * critical, 1.2 * critical] : [NaN, NaN];
  while (high - low > 1e-7) {
    const [left, right] = [high - ratio * (high - low), low + ratio * (high - low)];
    if (gradientNorm(left) < gradientNorm(right)) low = left;
    else high = right;
  }
  return { gradientNorm, optimum: (low + high) / 2 };
}

/** Return the geometric mean of the gradient norm. */
function geometricGradientNorm(n, alpha) {
  return geometricOfLength(n).gradientNorm(alpha);
}

/** Return the scale at which the geometric mean is largest. */
function geometricOptimum(n) {
  return geometricOfLength(n).optimum;
}

/** Return the numbers of keys of the slider: four to each doubling. */
function keysOfSlider() {
  const keys = Array.from({ length: 116 }, (_, i) => Math.round(2 ** (1 + i / 4)));
  return [...new Set(keys), 1e9];
}

if (globalThis.HTMLElement) {
  const KEYS = keysOfSlider();
  const nearest = n => KEYS.reduce((best, m, i) =>
    (Math.abs(Math.log(m / n)) < Math.abs(Math.log(KEYS[best] / n)) ? i : best), 0);
  const positive = value => (value < 0 ? "below 0" : value.toFixed(2));
  const POINTS = 100;

  customElements.define("optimum-curve", class extends Explorable {
    static title = "Three averages of the gradient norm against the scale";
    static columns = "repeat(3, 1fr)";
    static controls = [
      {
        name: "n", label: "keys n", min: 0, max: KEYS.length - 1, step: 1,
        value: nearest(512), toValue: i => KEYS[i], toPosition: nearest,
        show: n => n.toLocaleString("en"),
      },
      {
        name: "b", label: "look at the scale", min: 0, max: 2, step: 0.01, value: 0.4,
        show: (b, { n }) => `α = ${(b * freezingScale(n)).toFixed(2)}`,
      },
    ];

    build(views) {
      this.plot = new Plot(views, { height: 320 });
      dragAcross(this.plot, at => {
        const [left, right] = [0, 2].map(b => this.plot.x(b * freezingScale(this.state.n)));
        const b = Math.min(2, Math.max(0, 2 * (at - left) / (right - left)));
        this.change({ ...this.state, b: Number(b.toFixed(2)) });
      });
    }

    fromAddress(parameters) {
      const state = super.fromAddress(parameters);
      return { ...state, n: Math.round(state.n) };
    }

    show({ n, b }) {
      const critical = freezingScale(n);
      const star = annealedOptimum(n);
      const mean = averagesOfLength(n).gradientNorm;
      const { gradientNorm: geometric, optimum } = geometricOfLength(n);
      const alpha = b * critical;
      const values = [annealedGradientNorm(n, alpha), mean(alpha), geometric(alpha)];
      const claimed = annealedGradientNorm(n, star);
      const inUnits = a => `${a.toFixed(2)} =\u00a0${(a / critical).toFixed(2)}\u00a0α_c`;

      const curve = (f, from, to) => Array.from({ length: POINTS + 1 }, (_, i) => {
        const a = from + (to - from) * i / POINTS;
        return [a, f(a)];
      });
      const below = (f, pixels, words) => (
        { at: [2 * critical, f(2 * critical)], below: pixels, end: true, ...words });
      const roles = ["wrong", "theory", "simulation"];
      this.plot.draw({
        // Stretched with α_c, so that α_c stays in the middle for every n.
        x: { min: 0, max: 2 * critical, label: "scale α" },
        y: { min: 0, max: 1.12 * critical, label: "gradient norm" },
        rules: [
          { x: star, label: "α*", role: "wrong" },
          { x: critical, label: "α_c" },
        ],
        lines: [
          { points: [[alpha, 0], [alpha, 1.12 * critical]], role: "ink", faint: true },
          { points: [[0, 0], [critical, critical], [2 * critical, critical]], role: "quiet", faint: true },
          { points: curve(a => annealedGradientNorm(n, a), 0, 0.72 * critical), role: "wrong", dashed: true },
          { points: curve(mean, 0, 2 * critical), role: "theory" },
          { points: curve(geometric, 0, 2 * critical), role: "simulation" },
        ],
        points: [
          { at: [star, claimed], role: "wrong" },
          { at: [optimum, geometric(optimum)], role: "simulation" },
          ...values.map((value, i) => ({ at: [alpha, value], role: roles[i], open: true }))
            .filter(({ at }) => at[1] >= 0),
        ],
        texts: [
          { at: [0.73 * critical, 0], below: -6, role: "wrong", text: "published" },
          below(mean, 18, { role: "theory", text: "exact mean" }),
          below(geometric, 18, { role: "simulation", text: "geometric mean" }),
          below(() => critical, -7, { role: "quiet", text: "min(α, α_c)" }),
        ],
      });

      this.read([
        ["α_c = √(2\u00a0log\u00a0n)", critical.toFixed(2)],
        ["published optimum\u00a0α*", inUnits(star)],
        ["geometric optimum", inUnits(optimum)],
        ["published at\u00a0α*", claimed.toFixed(2)],
        ["exact mean at\u00a0α*", mean(star).toFixed(2)],
        ["published / exact at\u00a0α*", (claimed / mean(star)).toFixed(3)],
        [`published at\u00a0${alpha.toFixed(2)}`, positive(values[0])],
        [`exact mean at\u00a0${alpha.toFixed(2)}`, values[1].toFixed(2)],
        [`geometric mean at\u00a0${alpha.toFixed(2)}`, values[2].toFixed(2)],
      ]);
      return `For ${n} keys the published optimum is ${star.toFixed(2)}, the best scale`
        + ` for the geometric mean is ${optimum.toFixed(2)}; the exact mean rises`
        + ` everywhere. At the scale ${alpha.toFixed(2)} the published value is`
        + ` ${positive(values[0])}, the exact mean ${values[1].toFixed(2)}, the`
        + ` geometric mean ${values[2].toFixed(2)}.`;
    }
  });
}
