import process from "node:process";

/** Libraries expect Node's global `process`, which a Worker lacks at start. */
(globalThis as { process?: typeof process }).process ??= process;
