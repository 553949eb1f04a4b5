import { googleTokens } from "../google/tokens.ts";
import { hasScope } from "../kit/codes.ts";
import { bearerOf } from "../kit/input.ts";
import { digitsOf } from "../kit/logins.ts";
import type { Call } from "../kit/simulator.ts";
import {
  badRequest,
  errorInfo,
  notFound,
  PROJECT,
  pageOf,
  quotaExceeded,
  refusal,
} from "./call.ts";
import { MANAGE } from "./consent.ts";

export const tokens = googleTokens("google_business", [MANAGE]);

const CREDENTIAL =
  "Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.";

export const invalidCredentials = () =>
  refusal(401, `Request had invalid authentication credentials. ${CREDENTIAL}`);

/** @throws Refusal 401 without a valid token, 403 without the scope or with an API that is off, 429 without approval */
export function authenticate(call: Call): { name: string; token: string } {
  const service = new URL(call.req.url).host;
  const token = bearerOf(call);
  if (token === undefined) {
    throw refusal(401, `Request is missing required authentication credential. ${CREDENTIAL}`);
  }
  const name = tokens.loginsOf(call).liveNameOf(token, "access");
  if (name === null) throw invalidCredentials();
  if (!hasScope(call, "google_business", name, MANAGE)) {
    const info = errorInfo("ACCESS_TOKEN_SCOPE_INSUFFICIENT", { service });
    throw refusal(403, "Request had insufficient authentication scopes.", [info]);
  }
  if (/\bno quota\b/i.test(name)) throw quotaExceeded(service, 0);
  if (/\bapi off\b/i.test(name) && service === POSTS_SERVICE) throw apiOff(service);
  return { name, token };
}

const POSTS_SERVICE = "mybusiness.googleapis.com";

const apiOff = (service: string) =>
  refusal(
    403,
    `Google My Business API has not been used in project ${PROJECT} before or it is disabled. Enable it by visiting https://console.developers.google.com/apis/api/${service}/overview?project=${PROJECT} then retry.`,
    [errorInfo("SERVICE_DISABLED", { service, consumer: `projects/${PROJECT}` })],
  );

export interface Location {
  id: string;
  title: string;
  mayPost: boolean;
}

interface Account {
  id: string;
  type: "PERSONAL" | "LOCATION_GROUP";
  accountName: string;
  locations: Location[];
}

/** A person has one location of the same name, and with "chain of 3" in the name a group of three. */
export async function accountsOf(name: string): Promise<Account[]> {
  const mark = await digitsOf("google_business", name, 14);
  const own = { id: `1000${mark}`, title: name, mayPost: !/\bno posts\b/i.test(name) };
  const size = Number(/\bchain of (\d{1,4})\b/i.exec(name)?.[1] ?? 0);
  const chain = Array.from({ length: size }, (_, i): Location => {
    const isLast = i === size - 1;
    const title = isLast ? `${name}, without posts` : `${name}, number ${i + 1}`;
    return i === 0 ? own : { id: `${1_000 + i}${mark}`, title, mayPost: !isLast };
  });
  const personal: Account = {
    id: `100${mark}`,
    type: "PERSONAL",
    accountName: name,
    locations: /\bno location\b/i.test(name) ? [] : [own],
  };
  if (size === 0) return [personal];
  const group = { id: `200${mark}`, accountName: `${name} (group)`, locations: chain };
  return [personal, { ...group, type: "LOCATION_GROUP" }];
}

/** Source: My Business Account Management API, "accounts.list". */
export async function listAccounts(call: Call): Promise<Response> {
  const { name } = authenticate(call);
  const { page, next } = pageOf(call, await accountsOf(name), { usual: 20, max: 20 });
  const accounts = page.map(({ id, type, accountName }) => ({
    name: `accounts/${id}`,
    accountName,
    type,
    role: "PRIMARY_OWNER",
    verificationState: "UNVERIFIED",
    vettedState: "NOT_VETTED",
  }));
  return Response.json({ accounts, ...next });
}

async function requireAccount(call: Call, name: string): Promise<Account> {
  const accounts = await accountsOf(name);
  const account = accounts.find(({ id }) => id === call.req.param("account"));
  if (!account) throw notFound();
  return account;
}

/** @throws Refusal 404 for a location that this account does not list */
export async function requireLocation(
  call: Call,
  name: string,
): Promise<Location & { path: string }> {
  const account = await requireAccount(call, name);
  const location = account.locations.find(({ id }) => id === call.req.param("location"));
  if (!location) throw notFound();
  return { ...location, path: `accounts/${account.id}/locations/${location.id}` };
}

const READABLE = ["name", "title", "storefrontAddress", "websiteUri", "metadata", "openInfo"];

/** Source: My Business Business Information API, "accounts.locations.list". */
export async function listLocations(call: Call): Promise<Response> {
  const { name } = authenticate(call);
  const { locations } = await requireAccount(call, name);
  const fields = (call.req.query("readMask") ?? "").split(",").filter(Boolean);
  if (fields.length === 0) throw badRequest("read_mask", "Field is required");
  if (fields.some((field) => !READABLE.includes(field))) {
    throw badRequest("read_mask", "Invalid field mask provided");
  }
  const { page, next } = pageOf(call, locations, { usual: 10, max: 100 });
  if (page.length === 0) return Response.json({});
  return Response.json({
    locations: page.map(({ id, title, mayPost }) => ({
      ...(fields.includes("name") ? { name: `locations/${id}` } : {}),
      ...(fields.includes("title") ? { title } : {}),
      ...(fields.includes("metadata")
        ? {
            metadata: {
              canOperateLocalPost: mayPost,
              mapsUri: `https://maps.google.com/?cid=${id}`,
            },
          }
        : {}),
    })),
    ...next,
    totalSize: locations.length,
  });
}
