import "../core/node-process.ts";
import { Buffer } from "node:buffer";

export { Readable, Writable } from "node:stream";

/** The parser of forms finds this where Node has it; the Worker does without until a form brings a file. */
(globalThis as { Buffer?: typeof Buffer }).Buffer ??= Buffer;
