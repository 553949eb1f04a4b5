export const GRAPH = "https://graph.facebook.com";
/** Takes the files of videos. */
export const GRAPH_VIDEO = "https://graph-video.facebook.com";
/** Takes, or fetches, the files of reels. */
export const RUPLOAD = "https://rupload.facebook.com";

export const FACEBOOK_ORIGINS: readonly string[] = [GRAPH, GRAPH_VIDEO, RUPLOAD];
