// A new model: how far its logits spread at the start, and what rows of
// independent normal scores with that spread are like (chapters 2, 3, 6), also
// behind a cap or with a sink (10), through a sigmoid, or in 8 bits (11).

// Of y / cosh² y, the largest value: what a cap leaves of the gradient.
const CAP_CEILING = 0.447743204694303;
// Of the normal distribution: 1% lies above it.
const ONE_PERCENT = 2.3263478740408408;
const FURTHEST_SCALE = 24;  // beyond, averages take too long

/** Return the standard deviation of the logits at the start (thm-start). */
function scaleAtStart({ start, width, sd }) {
  return start === "weights" ? width * sd ** 2 : 1;
}

/** Return averages over rows, or no numbers where they would take too long. */
function rowOfModel(n, alpha, cap, sink) {
  if (alpha <= FURTHEST_SCALE) return exactRow(n, alpha, cap, sink);
  return { collision: NaN, entropy: NaN, gradientNorm: NaN, sink: NaN };
}

/** Return the mean sum of a row through a sigmoid, at a bias. */
function meanSigmoidSum(n, alpha, bias) {
  const step = 0.005;
  let sum = 0;
  for (let s = -12; s <= 12; s += step) sum += Math.exp(-s * s / 2) / (1 + Math.exp(-alpha * s - bias));
  return n * step * sum / Math.sqrt(2 * Math.PI);
}

/**
 * Return which part of its weight a row loses in e4m3, after an offset in bits,
 * where a sink has a share and is the reference (chapter 11).
 */
function lostBesideSink(alpha, sink, share, bits) {
  return (1 - share) * (1 - upperTail((sink - (10 + bits) * Math.LN2) / alpha - alpha));
}

/** Return the least offset that loses at most 1% there, or NaN: above 8 bits. */
function offsetBesideSink(alpha, sink, share) {
  const found = Array.from({ length: 9 }, (_, bits) => bits)
    .find(bits => lostBesideSink(alpha, sink, share, bits) <= 0.01);
  return found ?? NaN;
}

/** Return what the calculator says of a new model, as numbers by name. */
function newModel(state) {
  const { d, n } = state;
  const cap = state.cap === "" ? Infinity : state.cap;
  const sink = state.sink === "" ? -Infinity : state.sink;
  const alpha = scaleAtStart(state);
  const row = rowOfModel(n, alpha, cap, sink);
  const free = cap < Infinity ? rowOfModel(n, alpha, Infinity, sink) : row;
  const most = meanLargest(n);
  const sumOfPowers = Math.log(n) + alpha ** 2 / 2;  // log E[Σ exp(αs)]
  return {
    alpha,
    critical: freezingScale(n),
    onCosines: alpha * Math.sqrt(d),
    keys: 1 / row.collision,
    entropy: row.entropy,
    gradient: row.gradientNorm,
    partOfLimit: row.gradientNorm / most,
    dead: deadShareBound(n, alpha),
    lostToCap: 1 - row.gradientNorm / free.gradientNorm,
    ceiling: Math.sqrt(1 + CAP_CEILING * cap),
    roomyCap: 2 / CAP_CEILING * Math.log(n),
    sinkWeight: row.sink,
    oddsAgainstSink: Math.exp(sumOfPowers - sink),
    sigmoidBias: -sumOfPowers,
    sigmoidSum: meanSigmoidSum(n, alpha, -sumOfPowers),
    offsetBesideSink: offsetBesideSink(alpha, sink, row.sink),
    lostBesideSink: lostBesideSink(alpha, sink, row.sink, 8),
    offset: Math.max(0, Math.ceil((most + ONE_PERCENT) ** 2 / (4 * Math.LN2) - 10)),
  };
}

/** Return Python that computes the same. */
function pythonOfModel({ n, cap, sink }, { alpha }) {
  const [count, scale] = [n, Number(alpha.toPrecision(12))].map(pythonNumber);
  const added = (cap === "" ? "" : `, cap=${cap}`) + (sink === "" ? "" : `, sink=${sink}`);
  return `from attention_scale.added import averages_with
from attention_scale.observe import dead_share_bound

row = averages_with(${count}, ${scale}${added})
1 / row.collision, row.entropy, row.gradient_norm, row.sink
dead_share_bound(${count}, ${scale})
`;
}

/** Return the advice for a spread at the start, as a sentence or several. */
function adviceFor({ start, n, d, sd }, { alpha, critical, keys }) {
  const spread = `your logits start with a spread of ${fourDigits(alpha)}`;
  const about = keys < 10 ? keys.toFixed(1) : Math.round(keys).toLocaleString("en");
  const share = `of ${n.toLocaleString("en")} keys about ${about} share the weight of a row`;
  if (start === "norm") {
    return `Keep √d: under QK-norm ${spread} at any width and length; ${share}.`
      + ` No logit gets above √d = ${fourDigits(Math.sqrt(d))} while the gains are 1.`;
  }
  const lower = ` Divide by ${fourDigits(alpha)} √d` + (start === "weights"
    ? `, or take σ = ${fourDigits(sd / Math.sqrt(alpha))}.` : ".");
  if (alpha > critical) {
    return `Start lower: ${spread}, above α_c = ${fourDigits(critical)}, so that rows of random scores start with a few`
      + ` keys.${lower}`;
  }
  if (alpha >= 2) {
    return `Start lower: ${spread}. Small decoders that started at 2 and above ended worse.${lower}`;
  }
  const tried = alpha < 1 / 16 ? " That is below all starts that were tried in small decoders."
    : alpha > 1 ? " In small decoders a start of 2 ended worse than 1, so less would be safer." : "";
  return `Keep √d: ${spread}, which is ${(alpha / critical).toFixed(2)} α_c; ${share}.${tried}`;
}

if (globalThis.HTMLElement) {
  customElements.define("scale-calculator", class extends Calculator {
    static title = "What a new model starts with";
    static controls = [
      {
        name: "start", label: "queries and keys", value: "weights", options: {
          weights: "no norm; weights of sd σ",
          fan: "no norm; weights of sd 1/√width",
          norm: "RMSNorm (QK-norm), gains 1",
        },
      },
      { name: "width", label: "width of the model", min: 1, max: 1e6, value: 4096, whole: true },
      { name: "sd", label: "sd of the weights, σ", min: 0, max: 1, value: 0.02 },
      { name: "d", label: "head dimension d", min: 1, max: 1e5, value: 128, whole: true },
      { name: "n", label: "keys n", min: 2, max: 1e12, value: 8192, whole: true },
      { name: "cap", label: "soft cap", min: 1, max: 1e4, value: "", hint: "none" },
      { name: "sink", label: "logit of a sink", min: -100, max: 100, value: "", hint: "none" },
    ];

    show(state) {
      const { n, d, start, cap, sink } = state;
      for (const name of ["width", "sd"]) {
        this.sliders.get(name).input.disabled = start !== "weights";
      }
      const found = newModel(state);
      const capped = cap !== "";
      const sunk = sink !== "";
      const most = `${fourDigits(Math.log(n + sunk))} nats`;
      const keys = `${fourDigits(found.keys)} of ${(n + sunk).toLocaleString("en")}`;
      this.read([
        ["α, spread of the logits", fourDigits(found.alpha)],
        ["α_c = √(2 log n)", fourDigits(found.critical)],
        ["effective keys", keys],
        [`entropy, of ${most}`, fourDigits(found.entropy)],
        ["mean gradient", fourDigits(found.gradient)],
        ...(capped || sunk ? [] : [
          ["part of its limit", percent(found.partOfLimit)],
          ["dead rows, at most", percent(found.dead)],
        ]),
        ["factor on cosines", fourDigits(found.onCosines)],
        ...(start === "norm" ? [["no logit above √d", fourDigits(Math.sqrt(d))]] : []),
        ...(capped ? [
          ["gradient lost to the cap", percent(found.lostToCap)],
          ["ceiling of the mean gradient", fourDigits(found.ceiling)],
        ] : []),
        ["a cap with room, from", fourDigits(found.roomyCap)],
        ...(sunk ? [["mean weight of the sink", percent(found.sinkWeight)]] : []),
        ...(sunk && !capped ? [["mean odds against it", fourDigits(found.oddsAgainstSink)]] : []),
        ["bias of a sigmoid", `−${fourDigits(-found.sigmoidBias)}`],
        ["mean sum of its row", fourDigits(found.sigmoidSum)],
        sunk && sink > found.alpha * found.critical
          ? ["offset for e4m3, beside the sink", Number.isNaN(found.offsetBesideSink)
            ? `8 bits lose ${percent(found.lostBesideSink)}` : `${found.offsetBesideSink} bits`]
          : ["offset for e4m3", found.offset > 8 ? "8 bits lose over 1%" : `${found.offset} bits`],
      ]);
      this.code.textContent = pythonOfModel(state, found);
      const words = adviceFor(state, found);
      this.answer.replaceChildren(...withSubscripts(words));
      return words.replaceAll("α_c", "alpha c");
    }
  });
}
