export const API = "https://api.linkedin.com";
/** Where logins are renewed, and where files go: their addresses come from the API. */
export const WWW = "https://www.linkedin.com";

export const LINKEDIN_ORIGINS: readonly string[] = [API, WWW];
