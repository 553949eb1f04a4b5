export const API = "https://api.x.com";
/** Subtitle files to try things out with, since nothing of the sandbox leaves the machine. */
export const SUBTITLES = "https://subtitles.sandbox.test";

/** Everything that the simulator answers for. */
export const X_ORIGINS = [API, SUBTITLES];
