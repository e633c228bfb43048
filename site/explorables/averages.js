// Exact averages over rows of n independent standard normal scores at the
// scale alpha, from the table of averages_table.py: for every n from 2 to 1e12
// and every alpha up to 8 √(2 log n), with a relative error below 1e-9.

/** Return α_c = √(2 log n), at which a row freezes. */
function freezingScale(n) {
  return Math.sqrt(2 * Math.log(n));
}

/** Return Σ c_k T_k(x), by Clenshaw's recurrence. */
function chebyshevSum(coefficients, x) {
  let first = 0;
  let second = 0;
  for (let k = coefficients.length - 1; k > 0; k--) {
    const next = 2 * x * first - second + coefficients[k];
    second = first;
    first = next;
  }
  return x * first - second + coefficients[0];
}

/** Return where a value lies between two ends, from -1 to 1. */
function betweenEnds(value, low, high) {
  return (2 * value - low - high) / (high - low);
}

/** The averages of lengths that were asked for. */
const KNOWN_LENGTHS = new Map();

/**
 * Return the averages at one n as functions of alpha: the mean gradient norm
 * E[½‖J‖₁] = E[alpha (1 − Σ p²)] and the mean entropy in nats. Outside of
 * the table they are NaN.
 */
function averagesOfLength(n) {
  if (KNOWN_LENGTHS.has(n)) return KNOWN_LENGTHS.get(n);
  const { lengths, largest, middle, width, unit, spread, entropy } = AVERAGES;
  const root = freezingScale(n);
  const x = betweenEnds(root, ...lengths.map(freezingScale));
  const inside = n >= lengths[0] && n <= lengths[1];
  const toT = b => Math.asinh((b - middle) / width);
  const [low, high] = [toT(0), toT(largest)];
  // The rows belong to powers of alpha, their entries to those of n.
  const at = rows => {
    const series = rows.map(row => unit * chebyshevSum(row, x));
    return alpha => {
      if (!inside || !(alpha >= 0 && alpha <= largest * root)) return NaN;
      const t = betweenEnds(toT(alpha / root), low, high);
      return Math.exp(chebyshevSum(series, t)) / (1 + alpha);
    };
  };
  const spreadAt = at(spread);
  const averages = { gradientNorm: alpha => alpha * spreadAt(alpha), entropy: at(entropy) };
  if (KNOWN_LENGTHS.size > 2000) KNOWN_LENGTHS.clear();
  KNOWN_LENGTHS.set(n, averages);
  return averages;
}

/** Return the mean gradient norm E[½‖J‖₁] = E[alpha (1 − Σ p²)] = E[Σ p s]. */
function meanGradientNorm(n, alpha) {
  return averagesOfLength(n).gradientNorm(alpha);
}

/** Return the mean entropy E[H], in nats. */
function meanEntropy(n, alpha) {
  return averagesOfLength(n).entropy(alpha);
}

/** Return the scale at which rows of n keys have a mean entropy, or NaN. */
function scaleOfEntropy(n, entropy) {
  const at = averagesOfLength(n).entropy;
  let [a, b] = [0, AVERAGES.largest * freezingScale(n)];
  let [excessA, excessB] = [at(a) - entropy, at(b) - entropy];
  if (!(excessA > 0 && excessB <= 0)) return NaN;
  // The root is between a and b, and b is the newest point: where the chord
  // crosses 0. An end that stays counts half, or it would stay for ever
  // (the Illinois rule).
  for (let round = 0; round < 100 && excessB !== 0; round++) {
    const next = b - excessB * (b - a) / (excessB - excessA);
    if (Math.abs(next - b) < 1e-15 * b) break;
    const excess = at(next) - entropy;
    if (excess * excessB < 0) [a, excessA] = [b, excessB];
    else excessA /= 2;
    [b, excessB] = [next, excess];
  }
  return b;
}

/** Return the scale that keeps the mean entropy of a base, or NaN. */
function invariantScale(n, baseScale, baseLength) {
  if (n === baseLength) return baseScale;
  return scaleOfEntropy(n, meanEntropy(baseLength, baseScale));
}
