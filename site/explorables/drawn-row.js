// Normal numbers that are the same for each reader.

/** Return n standard normal numbers, n even; a seed gives others. */
function normalDraws(n, seed) {
  let state = 7919 * seed;
  // the generator of Lehmer, with the constants of Park, Miller and Stockmeyer
  const uniform = () => (state = 48271 * state % 2147483647) / 2147483647;
  const drawn = new Float64Array(n);
  for (let i = 0; i < n;) {
    const [size, angle] = [Math.sqrt(-2 * Math.log(uniform())), 2 * Math.PI * uniform()];
    drawn[i++] = size * Math.cos(angle);
    drawn[i++] = size * Math.sin(angle);
  }
  return drawn;
}

/** Return n standard normal scores, the largest first; a seed is a row. */
function normalRow(n, seed) {
  return normalDraws(n, seed).sort().reverse();
}
