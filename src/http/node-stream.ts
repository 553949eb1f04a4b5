import "../core/node-process.ts";
import { Buffer } from "node:buffer";

export { Readable, Writable } from "node:stream";

/** busboy expects Node's global `Buffer`. */
(globalThis as { Buffer?: typeof Buffer }).Buffer ??= Buffer;
