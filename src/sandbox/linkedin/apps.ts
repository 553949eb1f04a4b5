/**
 * Scopes of Sign In with LinkedIn and Share on LinkedIn.
 * @see https://learn.microsoft.com/linkedin/shared/authentication/getting-access
 */
const PEOPLE_SCOPES = ["openid", "profile", "email", "w_member_social"];

/**
 * Scopes of the Community Management API, which is the only product of its app.
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

/** Scopes of an older app, which has every product. */
const ALL_SCOPES = [...new Set([...PEOPLE_SCOPES, ...PAGES_SCOPES, "r_organization_admin"])];

const LIMITED_APPS = new Map([
  ["sandbox-people", PEOPLE_SCOPES],
  ["sandbox-pages", PAGES_SCOPES],
]);

/** Every other client id is that of an app with every product. */
export const scopesOfApp = (clientId: string): readonly string[] =>
  LIMITED_APPS.get(clientId) ?? ALL_SCOPES;

/** Separates a member's name from the app in the name of a login. */
const AT_APP = "\u001f";

/** Returns the name under which an app's tokens are stored. */
export const loginName = (name: string, clientId: string): string =>
  LIMITED_APPS.has(clientId) ? `${name}${AT_APP}${clientId}` : name;

/** `clientId` is null for a token of an app with every product. */
export function readLoginName(login: string): { name: string; clientId: string | null } {
  const [name = "", clientId = null] = login.split(AT_APP);
  return { name, clientId };
}
