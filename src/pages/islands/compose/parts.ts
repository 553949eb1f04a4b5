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

/** Counts a text of which each keystroke changes little: only parts that changed are counted again. */
export class PartCounter {
  private parts: string[] = [];
  private counts: number[] = [];
  private readonly count: (text: string) => number;

  constructor(count: (text: string) => number) {
    this.count = count;
  }

  update(text: string): number {
    const { parts, counts } = this;
    let [head, start] = [0, 0];
    while (head < parts.length && text.startsWith(parts[head] ?? "", start)) {
      start += parts[head++]?.length ?? 0;
    }
    // The neighbours of a change are counted again, because a part may end elsewhere now.
    if (head > 0) start -= parts[--head]?.length ?? 0;
    let [tail, end] = [parts.length, text.length];
    while (tail > head) {
      const part = parts[tail - 1] ?? "";
      if (end - part.length < start || !text.startsWith(part, end - part.length)) break;
      end -= part.length;
      tail--;
    }
    if (tail < parts.length) end += parts[tail++]?.length ?? 0;
    const fresh = [...divide(text.slice(start, end))];
    this.parts = [...parts.slice(0, head), ...fresh, ...parts.slice(tail)];
    this.counts = [...counts.slice(0, head), ...fresh.map(this.count), ...counts.slice(tail)];
    return this.counts.reduce((sum, one) => sum + one, 0);
  }
}
