/** UTF-16 units; a part ends at the first place behind them where counting can be divided. */
const PREFERRED = 400;
/** Before a line break or a space that follows an ASCII character: no grapheme, link or emoji crosses it. */
const DIVIDE = /(?<=[\x21-\x7e])(?=[\n ])/g;

function* divide(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    DIVIDE.lastIndex = start + PREFERRED;
    const end = DIVIDE.exec(text)?.index ?? text.length;
    yield text.slice(start, end);
    start = end;
  }
}

const TURN_MS = 6;

interface Part {
  text: string;
  count: number | null;
}

export class PartCounter {
  private parts: Part[] = [];
  private readonly count: (text: string) => number;

  constructor(count: (text: string) => number) {
    this.count = count;
  }

  /** Null while parts of a long text are left to count, in further calls. */
  update(text: string): number | null {
    this.replace(text);
    const end = performance.now() + TURN_MS;
    let sum = 0;
    for (const part of this.parts) {
      if (part.count === null) {
        if (performance.now() > end) return null;
        part.count = this.count(part.text);
      }
      sum += part.count;
    }
    return sum;
  }

  private replace(text: string): void {
    const { parts } = this;
    const lengthAt = (i: number) => parts[i]?.text.length ?? 0;
    let [head, start] = [0, 0];
    while (head < parts.length && text.startsWith(parts[head]?.text ?? "", start)) {
      start += lengthAt(head++);
    }
    if (head === parts.length && start === text.length) return;
    // The neighbours of a change are divided again, because a part may end elsewhere now.
    if (head > 0) start -= lengthAt(--head);
    let [tail, end] = [parts.length, text.length];
    while (tail > head) {
      const { text: last = "" } = parts[tail - 1] ?? {};
      if (end - last.length < start || !text.startsWith(last, end - last.length)) break;
      end -= last.length;
      tail--;
    }
    if (tail < parts.length) end += lengthAt(tail++);
    const fresh = [...divide(text.slice(start, end))].map((one) => ({ text: one, count: null }));
    this.parts = [...parts.slice(0, head), ...fresh, ...parts.slice(tail)];
  }
}
