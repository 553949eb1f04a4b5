import { ok, type Result, refuse } from "../../core/result.ts";
import type { Fetch } from "../connector.ts";
import { googleRefresh } from "../google/login.ts";
import { toProfile } from "../kit/logins.ts";
import type { Connected, Credentials, IdentifyOptions, LoginRefusal } from "../login.ts";
import { type GoogleRefusal, NAME, readReply } from "./api.ts";
import { explain, isAboutProject, isTemporary } from "./failures.ts";
import { type ListedLocation, listLocations, listLocationsOf } from "./locations.ts";

const NO_LOCATION =
  "This Google account manages no location of a Business Profile. Sign in to Google as an owner or manager of the profile.";

const MAX_NAMES = 5;

function noneMayPost(locations: readonly ListedLocation[]): string {
  const names = locations
    .slice(0, MAX_NAMES)
    .map(({ title, path }) => title ?? path)
    .join(", ");
  return `Google does not let programs publish posts at ${names}. It says so of chains, and of profiles that are not verified.`;
}

const toLoginRefusal = (refusal: GoogleRefusal): LoginRefusal => ({
  message: explain(refusal),
  final: !isTemporary(refusal) && !isAboutProject(refusal),
});

/** `none`: the login works, but has no location that may publish. */
export interface Found {
  accounts: Connected[];
  none: string | null;
}

function toFound(locations: readonly ListedLocation[], credentials: Credentials): Found {
  const accounts = locations
    .filter(({ mayPost }) => mayPost)
    .map(({ path, title }) => ({ profile: toProfile({ id: path, name: title }), credentials }));
  if (accounts.length > 0) return { accounts, none: null };
  return { accounts, none: locations.length > 0 ? noneMayPost(locations) : NO_LOCATION };
}

export async function findLocations(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Found, LoginRefusal>> {
  const locations = await listLocations(fetch, credentials.accessToken);
  if (!locations.ok) return refuse(toLoginRefusal(locations.error));
  return ok(toFound(locations.value, credentials));
}

async function findLocation(
  fetch: Fetch,
  credentials: Credentials,
  path: string,
): Promise<Result<Found, LoginRefusal>> {
  const accountName = path.split("/locations/")[0] ?? "";
  const locations = await listLocationsOf(fetch, credentials.accessToken, accountName);
  if (!locations.ok) return refuse(toLoginRefusal(locations.error));
  return ok(
    toFound(
      locations.value.filter((one) => one.path === path),
      credentials,
    ),
  );
}

const PATH = /^accounts\/\w+\/locations\/\w+$/;

/** @param pageId `accounts/…/locations/…`; null for the first location */
export async function identify(
  fetch: Fetch,
  credentials: Credentials,
  { pageId }: Pick<IdentifyOptions, "pageId">,
): Promise<Result<Connected, LoginRefusal>> {
  if (pageId !== null && !PATH.test(pageId)) {
    const message = "pageId must be the path of a location: accounts/…/locations/….";
    return refuse({ message, final: true, field: "pageId" });
  }
  const found =
    pageId === null
      ? await findLocations(fetch, credentials)
      : await findLocation(fetch, credentials, pageId);
  if (!found.ok) return found;
  const [first] = found.value.accounts;
  return first ? ok(first) : refuse({ message: found.value.none ?? NO_LOCATION, final: true });
}

export const refresh = googleRefresh({ platform: NAME, readReply, isTemporary });
