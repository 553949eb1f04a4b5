export const GRAPH = "https://graph.instagram.com";

export const INSTAGRAM_ORIGINS: readonly string[] = [GRAPH];
