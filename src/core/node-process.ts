import process from "node:process";

/** Libraries find Node's process as a global; the Worker starts without. */
(globalThis as { process?: typeof process }).process ??= process;
