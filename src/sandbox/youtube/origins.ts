export const API = "https://www.googleapis.com";
/** Where the same paths answer. */
const API_ALIAS = "https://youtube.googleapis.com";
export const OAUTH = "https://oauth2.googleapis.com";

/** Everything of YouTube's that the simulator answers for. */
export const YOUTUBE_ORIGINS = [API, API_ALIAS, OAUTH];
