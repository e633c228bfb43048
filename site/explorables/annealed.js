// The published approximation of the mean gradient norm of normal rows, and
// the scale at which it is largest (chapter 5), as in annealed.py.

/** Return W with W exp(W) = x, for x ≥ 0, by Halley's rule. */
function lambertW(x) {
  let w = Math.log1p(x);
  for (let round = 0; round < 20; round++) {
    const excess = w - x * Math.exp(-w);
    const step = excess / (1 + w - excess * (w + 2) / (2 * w + 2));
    w -= step;
    if (Math.abs(step) <= 1e-15 * w) break;
  }
  return w;
}

/** Return the published approximation of the mean gradient norm. */
function annealedGradientNorm(n, alpha) {
  return -alpha * Math.expm1(alpha ** 2 - Math.log(n));
}

/** Return the scale at which the published approximation is largest. */
function annealedOptimum(n) {
  return Math.sqrt(Math.max(lambertW(n * Math.sqrt(Math.E) / 2) - 0.5, 0));
}
