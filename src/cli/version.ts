import manifest from "../../package.json" with { type: "json" };

/** The version of this program, and of the package that it comes in. */
export const VERSION = manifest.version;
