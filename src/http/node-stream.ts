import { Buffer } from "node:buffer";
import process from "node:process";

export { Readable, Writable } from "node:stream";

/** The parser of forms finds these where Node has them; the Worker does without until a form brings a file. */
Object.assign(globalThis, { Buffer, process });
