/** Loaded before a program, it moves the program's clock by `MOVED_MS`. */

const moved = Number(process.env.MOVED_MS);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...args: [] | [number]) {
    if (args.length === 0) super(RealDate.now() + moved);
    else super(...args);
  }

  static override now(): number {
    return RealDate.now() + moved;
  }
} as DateConstructor;
