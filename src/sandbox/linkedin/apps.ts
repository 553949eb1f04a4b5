/**
 * Scopes of Sign In with LinkedIn and Share on LinkedIn.
 * @see https://learn.microsoft.com/linkedin/shared/authentication/getting-access
 */
const PEOPLE_SCOPES = ["openid", "profile", "email", "w_member_social"];

/**
 * Scopes of the Community Management API, its app's only product.
 * @see https://learn.microsoft.com/linkedin/marketing/increasing-access
 */
const PAGES_SCOPES = [
  "r_1st_connections_size",
  "r_basicprofile",
  "r_organization_followers",
  "r_organization_social",
  "r_organization_social_feed",
  "rw_organization_admin",
  "w_member_social",
  "w_member_social_feed",
  "w_organization_social",
  "w_organization_social_feed",
  "r_member_profileAnalytics",
  "r_member_postAnalytics",
];

/** For an older app, which has every product. */
const ALL_SCOPES = [...new Set([...PEOPLE_SCOPES, ...PAGES_SCOPES, "r_organization_admin"])];

const LIMITED_APPS = new Map([
  ["sandbox-people", PEOPLE_SCOPES],
  ["sandbox-pages", PAGES_SCOPES],
]);

/** Other client ids have every product. */
export const scopesOfApp = (clientId: string): readonly string[] =>
  LIMITED_APPS.get(clientId) ?? ALL_SCOPES;

/** Separates a member's name from the app in a login's name. */
const AT_APP = "\u001f";

/** An app's tokens are stored under this name. */
export const loginName = (name: string, clientId: string): string =>
  LIMITED_APPS.has(clientId) ? `${name}${AT_APP}${clientId}` : name;

/** `clientId`: null for an app with every product. */
export function readLoginName(login: string): { name: string; clientId: string | null } {
  const [name = "", clientId = null] = login.split(AT_APP);
  return { name, clientId };
}
