// Which keys of a row are lost in eight bits (chapter 11): the weight of a
// row of normal scores, by the power of 2 as which a key is stored.

const STORED_BITS = { low: -26, high: 10, width: 0.5, floor: -10, ceiling: Math.log2(448) };

/**
 * Return the weight of a row by the bits in which its keys are stored, and
 * what lies at or below the floor: the weight, and the share of the keys.
 * All are relative to the largest key, or to a sink that is read first and
 * has mean odds of 1.
 */
function storedNumbers(scores, alpha, offset, sink) {
  const { low, high, width, floor } = STORED_BITS;
  const bins = Array((high - low) / width).fill(0);
  const first = sink ? Math.log(scores.length) + alpha * alpha / 2 : alpha * scores[0];
  // what lies farther to the left stands in the first bin
  const bin = bits => Math.max(0, Math.ceil((bits - low) / width) - 1);
  let [total, lost, keys] = [0, 0, 0];
  if (sink) {
    bins[bin(offset)] = total = 1;
  }
  for (const s of scores) {
    const bits = (alpha * s - first) / Math.LN2 + offset;
    const weight = 2 ** (bits - offset);
    total += weight;
    bins[bin(bits)] += weight;
    if (bits <= floor) {
      lost += weight;
      keys += 1;
    }
  }
  return { bins: bins.map(weight => weight / total), lost: lost / total, keys: keys / scores.length };
}

/** Write a share in per cent. */
function lostText(share) {
  if (share === 0) return "none";
  return share < 1e-4 ? "below 0.01%" : `${Number((100 * share).toPrecision(2))}%`;
}

if (globalThis.HTMLElement) {
  customElements.define("stored-row", class extends Explorable {
    static title = "A row that is stored in eight bits";
    static controls = [
      { name: "alpha", label: "scale α", min: 0.1, max: 6, step: 0.1, value: 1, show: alpha => alpha.toFixed(1) },
      { name: "offset", label: "offset ω, bits", min: 0, max: 8, step: 1, value: 0, show: String },
      {
        name: "n", label: "keys n", min: 7, max: 17, step: 1, value: 17,
        toValue: x => 2 ** Math.round(x), toPosition: Math.log2, show: n => n.toLocaleString("en"),
      },
      { name: "draw", label: "another row", min: 1, max: 20, step: 1, value: 1, show: String },
      { name: "sink", label: "sink first", min: 0, max: 1, step: 1, value: 0, show: x => (x ? "yes" : "no") },
    ];

    build(views) {
      this.plot = new Plot(views, { height: 250 });
    }

    fromAddress(parameters) {
      const { alpha, offset, n, draw, sink } = super.fromAddress(parameters);
      return {
        alpha, offset: Math.round(offset), n: 2 ** Math.round(Math.log2(n)),
        draw: Math.round(draw), sink: Math.round(sink),
      };
    }

    show({ alpha, offset, n, draw, sink }) {
      if (this.scores?.length !== n || this.draw !== draw) this.scores = normalRow(n, draw);
      this.draw = draw;
      const { bins, lost, keys } = storedNumbers(this.scores, alpha, offset, sink);
      const { low, high, width, floor, ceiling } = STORED_BITS;
      const bars = bins.map((share, i) => [
        [low + i * width, 0], [low + i * width, share], [low + (i + 1) * width, share], [low + (i + 1) * width, 0]]);
      const below = Math.round((floor - low) / width);
      this.plot.draw({
        x: { min: low, max: high, label: "stored as 2 to the power" },
        y: { min: 0, max: 1.1 * Math.max(0.12, ...bins), label: "weight" },
        lines: [
          { points: bars.slice(0, below).flat(), role: "wrong" },
          { points: bars.slice(below).flat(), role: "simulation" },
        ],
        rules: [{ x: floor, label: "floor", role: "wrong" }, { x: ceiling, label: "ceiling" }],
      });
      this.read([
        ["weight lost", lostText(lost)],
        ["keys lost", lostText(keys)],
        [`the ${sink ? "sink" : "largest"} is stored as`, `2${"⁰¹²³⁴⁵⁶⁷⁸"[offset]}`],
      ]);
      return `${sink ? "Beside a sink that is read first, at" : "At"} the scale ${alpha.toFixed(1)} with ${offset} bits of offset ${lostText(lost)} of the weight`
        + ` and ${lostText(keys)} of the keys are lost.`;
    }
  });
}
