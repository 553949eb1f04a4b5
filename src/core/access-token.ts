const ACCESS_TOKEN = /^kma_[0-9a-f]{80}$/;
const REFRESH_TOKEN = /^kmr_[0-9a-f]{80}$/;

/** Whether the text has the form of a token that programs get by OAuth. */
export const isAccessToken = (text: string): boolean => ACCESS_TOKEN.test(text);

/** Whether the text has the form of a token by which programs renew their access. */
export const isRefreshToken = (text: string): boolean => REFRESH_TOKEN.test(text);
