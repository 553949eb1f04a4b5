type Need = { take: number; mayEnd?: boolean } | { skip: number } | { marker: true };

/** Returns true at the end of a complete image. */
type Walk = Generator<Need, boolean, Uint8Array>;

const NO_BYTES = new Uint8Array();

const be16 = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
const be32 = (bytes: Uint8Array, at: number): number =>
  be16(bytes, at) * 0x10000 + be16(bytes, at + 2);
const le16 = (bytes: Uint8Array, at: number): number =>
  ((bytes[at + 1] ?? 0) << 8) | (bytes[at] ?? 0);
const le32 = (bytes: Uint8Array, at: number): number =>
  le16(bytes, at + 2) * 0x10000 + le16(bytes, at);
const ascii = (bytes: Uint8Array, start: number, end: number): string =>
  String.fromCharCode(...bytes.subarray(start, end));

function* pass(count: number): Generator<Need, void, Uint8Array> {
  if (count > 0) yield { skip: count };
}

function* takeByte(): Generator<Need, number, Uint8Array> {
  const [byte = 0] = yield { take: 1 };
  return byte;
}

/** @see https://www.w3.org/TR/png-3/#5DataRep */
function* walkPng(): Walk {
  yield { take: 7 };
  let isFirst = true;
  let hasData = false;
  while (true) {
    const header = yield { take: 8 };
    const length = be32(header, 0);
    const type = ascii(header, 4, 8);
    if (!/^[A-Za-z]{4}$/.test(type) || length >= 2 ** 31) return false;
    if (isFirst !== (type === "IHDR")) return false;
    if (isFirst) {
      if (length !== 13) return false;
      const size = yield { take: 8 };
      if (be32(size, 0) === 0 || be32(size, 4) === 0) return false;
    }
    if (type === "IEND") return hasData;
    hasData ||= type === "IDAT" && length > 0;
    const crcBytes = 4;
    yield* pass(length - (isFirst ? 8 : 0) + crcBytes);
    isFirst = false;
  }
}

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7;
/** The markers C4, C8 and CC are no frame headers. */
const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** @see https://www.w3.org/Graphics/JPEG/itu-t81.pdf Annex B */
function* walkJpeg(): Walk {
  if ((yield* takeByte()) !== SOI) return false;
  let hasFrame = false;
  let hasScan = false;
  let marker = 0;
  while (true) {
    if (marker === 0) {
      if ((yield* takeByte()) !== 0xff) return false;
      while (marker === 0 || marker === 0xff) {
        marker = yield* takeByte();
        if (marker === 0) return false;
      }
    }
    if (marker === EOI) return hasScan;
    const hasNoLength = marker === 0x01 || isRestart(marker);
    if (marker === SOI || marker < 0xc0 !== (marker === 0x01)) return false;
    const length = hasNoLength ? 2 : be16(yield { take: 2 }, 0);
    if (length < 2) return false;
    let rest = length - 2;
    if (isFrameHeader(marker)) {
      if (rest < 6) return false;
      // The bytes are precision, height, width and number of components. A height of 0 is defined after the first scan.
      const frame = yield { take: 6 };
      const components = frame[5] ?? 0;
      if (be16(frame, 3) === 0 || components === 0 || rest !== 6 + 3 * components) return false;
      rest -= 6;
      hasFrame = true;
    }
    yield* pass(rest);
    if (marker !== SOS) {
      marker = 0;
      continue;
    }
    if (!hasFrame) return false;
    hasScan = true;
    const [next = 0] = yield { marker: true };
    marker = next;
  }
}

function* passSubBlocks(): Generator<Need, number, Uint8Array> {
  let bytes = 0;
  while (true) {
    const size = yield* takeByte();
    if (size === 0) return bytes;
    bytes += size;
    yield* pass(size);
  }
}

const colourTableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** @see https://www.w3.org/Graphics/GIF/spec-gif89a.txt */
function* walkGif(): Walk {
  const header = yield { take: 12 };
  if (!/^IF8[79]a$/.test(ascii(header, 0, 5))) return false;
  if (le16(header, 5) === 0 || le16(header, 7) === 0) return false;
  yield* pass(colourTableBytes(header[9] ?? 0));
  let hasImage = false;
  while (true) {
    // Many GIF files lack the trailer, and decoders accept them.
    const [block = 0] = yield { take: 1, mayEnd: hasImage };
    if (block === 0x3b) return hasImage;
    if (block === 0x21) {
      yield { take: 1 };
      yield* passSubBlocks();
    } else if (block === 0x2c) {
      const descriptor = yield { take: 9 };
      yield* pass(colourTableBytes(descriptor[8] ?? 0));
      const codeSize = yield* takeByte();
      if (codeSize < 1 || codeSize > 11) return false;
      if ((yield* passSubBlocks()) === 0) return false;
      hasImage = true;
    } else if (block !== 0) {
      return false;
    }
  }
}

/** The upper two bits of a side are a scale. */
const VP8_SIDE = 0x3fff;

const FRAMES: Record<string, { startBytes: number; isFrame(start: Uint8Array): boolean }> = {
  // A key frame begins with start code, width and height.
  "VP8 ": {
    startBytes: 10,
    isFrame: (start) =>
      start[3] === 0x9d &&
      start[4] === 0x01 &&
      start[5] === 0x2a &&
      (le16(start, 6) & VP8_SIDE) > 0 &&
      (le16(start, 8) & VP8_SIDE) > 0,
  },
  VP8L: { startBytes: 6, isFrame: (start) => start[0] === 0x2f },
};

const CHUNK_HEADER_BYTES = 8;

/** @see https://developers.google.com/speed/webp/docs/riff_container */
function* walkWebp(): Walk {
  const header = yield { take: 11 };
  if (ascii(header, 0, 3) !== "IFF" || ascii(header, 7, 11) !== "WEBP") return false;
  // The length includes the four bytes `WEBP`.
  let rest = le32(header, 3) - 4;
  let hasImage = false;
  while (rest >= CHUNK_HEADER_BYTES) {
    const chunk = yield { take: CHUNK_HEADER_BYTES };
    const type = ascii(chunk, 0, 4);
    const length = le32(chunk, 4);
    rest -= CHUNK_HEADER_BYTES + length;
    if (!/^[A-Z0-9a-z ]{4}$/.test(type) || rest < 0) return false;
    let seen = 0;
    const frame = FRAMES[type];
    if (frame) {
      if (length < frame.startBytes) return false;
      seen = frame.startBytes;
      if (!frame.isFrame(yield { take: seen })) return false;
      hasImage = true;
    }
    // Frames of an animation are nested in ANMF chunks.
    hasImage ||= type === "ANMF" && length > 0;
    yield* pass(length - seen);
    // The last padding byte may be missing.
    const padding = length % 2;
    if (rest >= CHUNK_HEADER_BYTES + padding) yield* pass(padding);
    rest -= padding;
  }
  return hasImage;
}

const WALKS: Record<number, () => Walk> = {
  137: walkPng,
  255: walkJpeg,
  71: walkGif,
  82: walkWebp,
};

/** A file with an unknown first byte is no image, so it counts as whole. */
function* walkFile(): Walk {
  const walk = WALKS[yield* takeByte()];
  return walk ? yield* walk() : true;
}

/**
 * Follows the structure of a JPEG, PNG, GIF or WebP while bytes arrive, and finds truncated or damaged files. It does
 * not decode pixels, and ignores bytes after the image.
 */
export class ImageWalk {
  private readonly walk = walkFile();
  private need: Need = { take: 1 };
  private buffered: number[] = [];
  private passed = 0;
  private isAfterFf = false;
  private verdict: boolean | null = null;

  constructor() {
    this.goOn(null);
  }

  /** False for a damaged image, and for one that ends too early. */
  get isWhole(): boolean {
    if (this.verdict !== null) return this.verdict;
    return "take" in this.need && this.need.mayEnd === true && this.buffered.length === 0;
  }

  write(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && this.verdict === null; ) {
      const { need } = this;
      if ("marker" in need) {
        at = this.findMarker(chunk, at);
      } else if ("skip" in need) {
        const count = Math.min(need.skip - this.passed, chunk.length - at);
        at += count;
        this.passed += count;
        if (this.passed === need.skip) this.goOn(NO_BYTES);
      } else {
        const bytes = chunk.subarray(at, at + need.take - this.buffered.length);
        at += bytes.length;
        this.buffered.push(...bytes);
        if (this.buffered.length === need.take) this.goOn(Uint8Array.from(this.buffered));
      }
    }
  }

  private findMarker(chunk: Uint8Array, start: number): number {
    let at = start;
    while (at < chunk.length) {
      if (!this.isAfterFf) {
        const index = chunk.indexOf(0xff, at);
        if (index < 0) return chunk.length;
        at = index + 1;
        this.isAfterFf = true;
        continue;
      }
      const byte = chunk[at++] ?? 0;
      this.isAfterFf = byte === 0xff;
      if (byte === 0 || byte === 0xff || isRestart(byte)) continue;
      this.goOn(Uint8Array.of(byte));
      return at;
    }
    return at;
  }

  private goOn(bytes: Uint8Array | null): void {
    this.buffered = [];
    this.passed = 0;
    const { done, value } = bytes ? this.walk.next(bytes) : this.walk.next();
    if (done) this.verdict = value;
    else this.need = value;
  }
}
