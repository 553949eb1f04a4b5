/**
 * US dollars. X changes them without notice; its console has the current ones.
 *
 * @see https://docs.x.com/x-api/getting-started/pricing
 */
export const PRICES = {
  post: 0.015,
  linkPost: 0.2,
  readUser: 0.01,
  readPost: 0.005,
} as const;
