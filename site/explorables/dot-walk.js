// A dot product in the making (chapter 1): one query meets forty keys, and
// their products are added one by one.

const [WALKS, LONGEST_WALK] = [40, 128];

/** Return the sums of the first 0, 1, … 128 products, for each key. */
function walkSums(seed) {
  const query = normalDraws(LONGEST_WALK, seed);
  const keys = normalDraws(WALKS * LONGEST_WALK, seed + 20);
  return Array.from({ length: WALKS }, (_, k) => {
    const sums = [0];
    query.forEach((q, i) => sums.push(sums[i] + q * keys[k * LONGEST_WALK + i]));
    return sums;
  });
}

/** Return the scores at d dimensions, divided by a power of d. */
function walkScores(sums, d, power) {
  return sums.map(walk => walk[d] / d ** power);
}

/** Return the root mean square of numbers. */
function rootMeanSquare(numbers) {
  return Math.sqrt(sumOf(numbers.map(x => x * x)) / numbers.length);
}

if (globalThis.HTMLElement) {
  const DIVISORS = { 0: "nothing", 0.5: "√d", 1: "d" };
  const drawn = d => Array.from({ length: Math.min(d, 64) + 1 }, (_, i) => Math.round(i * d / Math.min(d, 64)));

  customElements.define("dot-walk", class extends Explorable {
    static title = "Forty dot products in the making, and their weights";
    static controls = [
      {
        name: "d", label: "dimension d", min: 1, max: 7, step: 0.25, value: 6,
        toValue: x => Math.round(2 ** x), toPosition: Math.log2, show: String,
      },
      {
        name: "power", label: "divide by", min: 0, max: 1, step: 0.5, value: 0,
        show: power => DIVISORS[power],
      },
      { name: "draw", label: "other keys", min: 1, max: 20, step: 1, value: 1, show: String },
    ];

    build(views) {
      this.plot = new Plot(views, { height: 230 });
      this.bars = barsElement(views);
    }

    fromAddress(parameters) {
      const { d, power, draw } = super.fromAddress(parameters);
      return { d: Math.round(d), power: Math.round(2 * power) / 2, draw: Math.round(draw) };
    }

    show({ d, power, draw }) {
      if (this.seed !== draw) this.sums = walkSums(draw);
      this.seed = draw;
      const at = drawn(d);
      const scores = walkScores(this.sums, d, power);
      const weights = softmax(scores, 1);
      const root = drawn(LONGEST_WALK);
      this.plot.draw({
        x: { min: 0, max: LONGEST_WALK, label: "products added so far, i" },
        y: { min: -30, max: 30, label: "sum" },
        lines: [
          ...this.sums.map(walk => ({ points: at.map(i => [i, walk[i]]), role: "simulation", faint: true })),
          { points: root.map(i => [i, Math.sqrt(i)]), role: "theory" },
          { points: root.map(i => [i, -Math.sqrt(i)]), role: "theory" },
        ],
        rules: [{ x: d, label: `d = ${d}` }],
        texts: [{ at: [LONGEST_WALK, 11.3], below: -10, role: "theory", text: "√i", end: true }],
      });
      drawBars(this.bars, this.plot, weights, 1 / WALKS, "weights of the forty keys");
      const best = `${Number((100 * Math.max(...weights)).toPrecision(2))}%`;
      const spread = rootMeanSquare(walkScores(this.sums, d, 0)).toPrecision(3);
      const scored = rootMeanSquare(scores).toPrecision(3);
      this.read([
        ["spread of the sums", spread],
        ["√d", Math.sqrt(d).toPrecision(3)],
        ["spread of the scores", scored],
        ["the best key gets", best],
      ]);
      return `At ${d} dimensions the sums have the spread ${spread}, √d is ${Math.sqrt(d).toPrecision(3)}.`
        + ` Divided by ${DIVISORS[power]}, the best of forty keys gets ${best}.`;
    }
  });
}
