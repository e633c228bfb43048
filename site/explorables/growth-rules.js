// What published models multiply the logits by when the text grows longer, as
// in attention_scale/rules.py. At its own length a rule gives 1; only Llama 4's
// gives 1.07.

/** Return Su's factor: log n / log n₀. */
function logLengthFactor(n, baseLength) {
  return Math.log(n) / Math.log(baseLength);
}

/** Return the factor by which √(2 log n) grows. */
function rootLengthFactor(n, baseLength) {
  return Math.sqrt(logLengthFactor(n, baseLength));
}

/** Return Qwen's factor: Su's, but at least 1. */
function qwenFactor(n, baseLength) {
  return Math.max(logLengthFactor(n, baseLength), 1);
}

/** Return the factor of Llama 4, which rises in steps. */
function llama4Factor(n, baseLength, slope = 0.1) {
  return 1 + slope * Math.log1p(Math.floor(n / baseLength));
}

/** Return YaRN's factor for a text of n keys, the same at all positions. */
function yarnFactor(n, baseLength, slope = 0.1) {
  return (1 + slope * Math.log(Math.max(n / baseLength, 1))) ** 2;
}
