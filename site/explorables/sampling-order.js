// Temperature and cut-offs (chapter 4): what a sampler keeps of ten tokens
// if the temperature comes first, and if it comes last.

const SAMPLED_SCORES = [5, 4.2, 3.8, 3, 2.4, 2, 1.4, 0.8, 0.2, -0.5];

/** Return weights without those that are not kept, divided by their sum. */
function keptWeights(p, isKept) {
  const kept = p.map((w, i) => (isKept(w, i) ? w : 0));
  const total = sumOf(kept);
  return kept.map(w => w / total);
}

/**
 * Cut falling weights: to the k largest, then to the fewest with the share
 * topP, then to those of at least minP times the largest.
 */
function cutOff(p, { k, topP, minP }) {
  const top = keptWeights(p, (_, i) => i < k);
  let before = 0;
  // what stands before a token decides; the first always stays
  const nucleus = keptWeights(top, (w, i) => {
    const kept = i === 0 || before < topP - 1e-12;
    before += w;
    return kept;
  });
  return keptWeights(nucleus, w => w >= minP * nucleus[0]);
}

/** Return weights raised to a power, divided by their sum. */
function tempered(p, temperature) {
  const logs = p.map(Math.log);
  return softmax(logs.map(log => Math.max(log, -1e4)), 1 / temperature)
    .map((w, i) => (p[i] > 0 ? w : 0));
}

/** Return the weights with the temperature first, and with it last. */
function bothOrders(scores, { temperature, ...cuts }) {
  return [
    cutOff(softmax(scores, 1 / temperature), cuts),
    tempered(cutOff(softmax(scores, 1), cuts), temperature),
  ];
}

if (globalThis.HTMLElement) {
  customElements.define("sampling-order", class extends Explorable {
    static title = "A temperature before and after a cut-off";
    static controls = [
      {
        name: "temperature", label: "temperature T", min: -3, max: 3, step: 0.125, value: 1,
        toValue: x => Number((2 ** x).toPrecision(3)), toPosition: Math.log2, show: T => T.toFixed(2),
      },
      { name: "k", label: "top-k", min: 1, max: 10, step: 1, value: 10, show: k => (k < 10 ? `${k}` : "all") },
      {
        name: "topP", label: "top-p", min: 0.05, max: 1, step: 0.05, value: 0.8,
        show: p => (p < 1 ? p.toFixed(2) : "all"),
      },
      { name: "minP", label: "min-p", min: 0, max: 0.5, step: 0.01, value: 0, show: c => (c > 0 ? c.toFixed(2) : "all") },
    ];

    build(views) {
      const board = htmlElement("div", { class: "softmax-board" });
      this.bars = ["temperature first", "temperature last"].map(name => {
        const bars = htmlElement("div", { class: "softmax-bars", "aria-hidden": true });
        board.append(htmlElement("div", {}, htmlElement("p", {}, name), bars));
        return SAMPLED_SCORES.map((_, i) => {
          const bar = htmlElement("div", {}, String(i + 1), htmlElement("i"), htmlElement("span"));
          bars.append(bar);
          return bar;
        });
      });
      views.append(board);
    }

    fromAddress(parameters) {
      const state = super.fromAddress(parameters);
      return { ...state, k: Math.round(state.k) };
    }

    show(state) {
      const orders = bothOrders(SAMPLED_SCORES, state);
      orders.forEach((p, j) => p.forEach((w, i) => {
        const bar = this.bars[j][i];
        setText(bar.lastChild, w > 0 ? w.toFixed(2).replace(/^0/, "") : "–");
        bar.style.setProperty("--weight", w.toFixed(4));
      }));
      const kept = orders.map(p => p.filter(w => w > 0).length);
      const apart = sumOf(orders[0].map((w, i) => Math.abs(w - orders[1][i]))) / 2;
      this.read([
        ["tokens kept, T first", String(kept[0])],
        ["tokens kept, T last", String(kept[1])],
        ["entropy, T first", `${shannon(orders[0]).toFixed(2)} nats`],
        ["entropy, T last", `${shannon(orders[1]).toFixed(2)} nats`],
        ["drawn otherwise", `${(100 * apart).toFixed(1)}%`],
      ]);
      return `At the temperature ${state.temperature.toFixed(2)} ${kept[0]} tokens are kept if it comes first,`
        + ` ${kept[1]} if it comes last; ${(100 * apart).toFixed(1)} per cent of the draws differ.`;
    }
  });
}
