const [BASE, LEAST, MOST, SKEW, DAMP] = [36, 1, 26, 38, 700];
const FIRST = 0x80;
const MAX = 2 ** 31 - 1;

function adapt(start: number, points: number, isFirst: boolean): number {
  let delta = Math.floor(start / (isFirst ? DAMP : 2));
  delta += Math.floor(delta / points);
  let k = 0;
  for (; delta > ((BASE - LEAST) * MOST) / 2; k += BASE) delta = Math.floor(delta / (BASE - LEAST));
  return k + Math.floor(((BASE - LEAST + 1) * delta) / (delta + SKEW));
}

/** @see RFC 3492, 6.3; the digits are left out: of a domain, twitter-text asks for the length alone */
function encodedLength(label: string): number {
  const points = [...label].map((one) => one.codePointAt(0) ?? 0);
  const basic = points.filter((one) => one < FIRST).length;
  let [length, done, delta, bias, last] = [basic + (basic && 1), basic, 0, 72, FIRST];
  const rest = points.filter((one) => one >= FIRST);
  for (const point of [...new Set(rest)].sort((a, b) => a - b)) {
    delta += (point - last) * (done + 1);
    if (delta > MAX) throw new RangeError("The label is too long.");
    for (const one of points) {
      if (one < point) delta++;
      if (one !== point) continue;
      let q = delta;
      for (let k = BASE; ; k += BASE) {
        length++;
        const t = Math.min(Math.max(k - bias, LEAST), MOST);
        if (q < t) break;
        q = Math.floor((q - t) / (BASE - t));
      }
      bias = adapt(delta, done + 1, done === basic);
      delta = 0;
      done++;
    }
    delta++;
    last = point + 1;
  }
  return length;
}

/** In place of the package of this name: ASCII of the same length. @throws RangeError as the package does */
function toASCII(domain: string): string {
  const labels = domain
    .split(/[.\u3002\uFF0E\uFF61]/)
    .map((label) =>
      /[^\x20-\x7E]/.test(label) ? `xn--${"x".repeat(encodedLength(label))}` : label,
    );
  return labels.join(".");
}

export default { toASCII };
