export const API = "https://open.tiktokapis.com";
/** Where the chunks of a video go; its addresses come from the API. */
export const UPLOADS = "https://open-upload.tiktokapis.com";

/** Everything of TikTok's that the simulator answers for. */
export const TIKTOK_ORIGINS = [API, UPLOADS];
