// Rows of n independent standard normal scores at a scale, behind a soft cap
// and with a sink if there are any: exact averages, by the integrals of
// attention_scale/added.py; the mean of the largest score; and a bound for
// the share of dead rows, as in attention_scale/observe.py.

/** Return the chance that a normal score is above x. */
function upperTail(x) {
  const density = Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
  if (Math.abs(x) < 3) {
    // Φ(x) = 1/2 + φ(x) (x + x³/3 + x⁵/15 + …)
    let [term, sum] = [x, x];
    for (let k = 3; k < 100; k += 2) sum += term *= x * x / k;
    return 0.5 - density * sum;
  }
  // Laplace's continued fraction, from its far end
  let fraction = Math.abs(x);
  for (let k = 60; k > 0; k--) fraction = Math.abs(x) + k / fraction;
  return x > 0 ? density / fraction : 1 - density / fraction;
}

/** Return E[f(largest score), P(the others are below it by a gap)]. */
function overLargest(n, gap, f) {
  const [from, step] = [-9, 0.04];
  const to = freezingScale(n) + gap + 9;
  let sum = 0;
  for (let m = from; m < to; m += step) {
    const others = (n - 1) * Math.log1p(-upperTail(m - gap));
    sum += f(m) * Math.exp(Math.log(n) - m * m / 2 + others);
  }
  return step * sum / Math.sqrt(2 * Math.PI);
}

/** Return the mean of the largest score, which bounds the mean gradient. */
function meanLargest(n) {
  return overLargest(n, 0, m => m);
}

/** Return a bound for the share of rows with 1 − Σp² < 0.01. */
function deadShareBound(n, scale) {
  const gap = 2 * Math.acosh(1 / Math.sqrt(0.02)) / scale;
  return gap < 60 ? overLargest(n, gap, () => 1) : 0;
}

/** Return scores with their weights, logits, and the logits' slopes. */
function scoresOfRow(n, scale, cap, spacing) {
  const step = Math.min(0.5, spacing / (scale * Math.max(1, 1 / cap)));
  const scores = [];
  let total = 0;
  for (let s = -9; s < freezingScale(n) + 9; s += step) {
    const bent = Math.tanh(scale * s / cap);
    const weight = Math.exp(-s * s / 2);
    scores.push(cap < Infinity
      ? { s, weight, logit: cap * bent, slope: scale * (1 - bent * bent) }
      : { s, weight, logit: scale * s, slope: scale });
    total += weight;
  }
  for (const score of scores) score.weight /= total;
  return scores;
}

/** Return log F(t) = log E[exp(-t exp(logit))], from 1 - F and F. */
function logOfLaplace(missing, power) {
  return missing < 0.5 ? Math.log1p(-missing) : Math.log(Math.max(power, 1e-300));
}

/**
 * Return means at u = log t, with y = t exp(logit): log F, and those of
 * y exp(-y) times 1, the score, its slope (1 - y), y and log y.
 */
function meansAt(scores, u) {
  let [missing, power, one, score, slope, squares, logs] = [0, 0, 0, 0, 0, 0, 0];
  for (const { s, weight, logit, slope: own } of scores) {
    const logY = Math.min(u + logit, 7);
    const y = Math.exp(logY);
    const rest = Math.exp(-y);
    const part = weight * y * rest;
    missing += weight * (y < 0.3 ? -Math.expm1(-y) : 1 - rest);
    power += weight * rest;
    one += part;
    score += part * s;
    slope += part * own * (1 - y);
    squares += part * y;
    logs += part * logY;
  }
  return { logF: logOfLaplace(missing, power), one, score, slope, squares, logs };
}

/** Return where a rising function passes a value. */
function bisect(f, value, low, high) {
  for (let round = 0; round < 20; round++) {
    const middle = (low + high) / 2;
    if (f(middle) < value) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Return exact averages over rows: mean score, Σp², entropy in nats, gradient
 * norm, and weight of the sink, which Σp² and the entropy count as a key.
 */
function exactRow(n, scale, cap = Infinity, sink = -Infinity) {
  // The trapezoid sums miss by about exp(-π²/spacing): 4e-14.
  const spacing = 0.32;
  const scores = scoresOfRow(n, scale, cap, spacing);
  const sinkAt = u => Math.exp(Math.min(u + sink, 7));
  const exponent = u => sinkAt(u) - n * meansAt(scores, u).logF;
  // From where F^n is 1 to many digits to where it is almost 0.
  const [lowest, highest] = [scores[0].logit, scores.at(-1).logit];
  const all = [-Math.max(highest, sink) - 2 * Math.log(n) - 50, 8 - lowest];
  const [from, to] = [1e-15 / n, 700].map(value => bisect(exponent, value, ...all));
  const found = { meanScore: 0, collision: 0, entropy: 0, gradientNorm: 0, sink: 0 };
  const gamma = 0.5772156649015329;
  for (let u = from; u <= to; u += spacing) {
    const { logF, one, score, slope, squares, logs } = meansAt(scores, u);
    const ofSink = sinkAt(u);
    const others = spacing * Math.exp(Math.log(n) + (n - 1) * logF - ofSink);
    const alone = spacing * ofSink * Math.exp(n * logF - ofSink);
    found.meanScore += others * score;
    found.collision += others * squares + alone * ofSink;
    found.gradientNorm += others * slope;
    found.sink += alone;
    // Nothing is lost where the sum is small: log y + γ has the mean 0.
    found.entropy -= others * (logs + gamma * one);
    if (alone > 0) found.entropy -= alone * (Math.log(ofSink) + gamma);
  }
  return found;
}
