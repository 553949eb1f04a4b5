/** The same API answers at both. */
export const THREADS_ORIGINS: readonly string[] = [
  "https://graph.threads.net",
  "https://graph.threads.com",
];
