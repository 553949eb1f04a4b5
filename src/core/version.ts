/** Equals the version in `package.json`, which the Worker does not load. */
export const VERSION = "1.0.0";
