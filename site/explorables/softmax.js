// Softmax, its Jacobian, and what one says of a row of weights, as in
// attention_scale/softmax.py and entropy.py.

/** Return the sum of numbers. */
function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Return the weights of scores at a scale. */
function softmax(scores, scale) {
  const best = Math.max(...scores);
  const powers = scores.map(s => Math.exp(scale * (s - best)));
  const total = sumOf(powers);
  return powers.map(power => power / total);
}

/** Return 1 - p; for the largest weight as the sum of the others, so that no
 *  digits are lost where it is close to 1. */
function complements(p) {
  const top = p.indexOf(Math.max(...p));
  return p.map((w, i) => i === top ? sumOf(p.filter((_, j) => j !== top)) : 1 - w);
}

/** Return the derivatives of the weights: row i for p_i, column j for s_j. */
function jacobian(p, scale) {
  const rest = complements(p);
  return p.map((w, i) => p.map((v, j) => scale * (i === j ? w * rest[i] : -w * v)));
}

/** Return Shannon's entropy in nats. */
function shannon(p) {
  const rest = complements(p);
  const log = (w, i) => w > 0.5 ? Math.log1p(-rest[i]) : Math.log(w);
  return sumOf(p.map((w, i) => w > 0 ? -w * log(w, i) : 0));
}

/** Return Σp², the probability that two draws give the same key. */
function collision(p) {
  return sumOf(p.map(w => w * w));
}

/** Return the gradient norm ½‖J‖₁, half the sum of the absolute entries of
 *  the Jacobian. */
function gradientNorm(p, scale) {
  const rest = complements(p);
  return scale * sumOf(p.map((w, i) => w * rest[i]));
}

/** Return the gradient norm of scores at each of several scales. */
function gradientNorms(scores, scales) {
  return scales.map(scale => gradientNorm(softmax(scores, scale), scale));
}

/** Return by how much the best score leads the second. */
function gapOf(scores) {
  const [best, second] = [...scores].sort((a, b) => b - a);
  return best - second;
}
