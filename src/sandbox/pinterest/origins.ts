export const API = "https://api.pinterest.com";
/** The storage that takes videos; its address comes from the API. */
export const UPLOADS = "https://pinterest-media-upload.s3-accelerate.amazonaws.com";

/** Everything of Pinterest's that the simulator answers for. */
export const PINTEREST_ORIGINS = [API, UPLOADS];
