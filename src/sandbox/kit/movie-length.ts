import type { SandboxStore } from "./store.ts";

const BOX_HEADER_BYTES = 16;
const MAX_BOXES = 64;
const MOVIE_HEADER_BYTES = 32;

interface Box {
  kind: string;
  /** Byte offsets in the file. */
  content: number;
  end: number;
}

async function read({ media }: SandboxStore, id: number, offset: number, length: number) {
  const remaining = media.storedBytes(id) - offset;
  if (remaining <= 0) return null;
  const piece = media.stream(id, { offset, length: Math.min(length, remaining) });
  return new DataView(await new Response(piece).arrayBuffer());
}

async function readBox(store: SandboxStore, id: number, offset: number): Promise<Box | null> {
  const view = await read(store, id, offset, BOX_HEADER_BYTES);
  if (!view || view.byteLength < 8) return null;
  const kind = String.fromCharCode(...new Uint8Array(view.buffer, 4, 4));
  const size = view.getUint32(0);
  if (size === 1 && view.byteLength >= 16) {
    return { kind, content: offset + 16, end: offset + Number(view.getBigUint64(8)) };
  }
  return { kind, content: offset + 8, end: size === 0 ? Infinity : offset + size };
}

async function findBox(store: SandboxStore, id: number, kind: string, offset: number) {
  let at = offset;
  for (let count = 0; count < MAX_BOXES; count++) {
    const box = await readBox(store, id, at);
    if (!box || box.kind === kind || box.end <= at) return box?.kind === kind ? box : null;
    at = box.end;
  }
  return null;
}

/** @see https://developer.apple.com/documentation/quicktime-file-format/movie_header_atom */
export async function readMovieSeconds(store: SandboxStore, id: number): Promise<number | null> {
  const movie = await findBox(store, id, "moov", 0);
  const header = movie && (await findBox(store, id, "mvhd", movie.content));
  const view = header && (await read(store, id, header.content, MOVIE_HEADER_BYTES));
  if (!view || view.byteLength < MOVIE_HEADER_BYTES) return null;
  const isLong = view.getUint8(0) === 1;
  const scale = view.getUint32(isLong ? 20 : 12);
  const duration = isLong ? Number(view.getBigUint64(24)) : view.getUint32(16);
  return scale === 0 ? null : duration / scale;
}
