import type { Fetch, MediaItem, Post } from "../../../src/platforms/connector.ts";
import {
  type GoogleBusinessSettings,
  settings,
} from "../../../src/platforms/google_business/settings.ts";
import {
  answeringByName,
  type JobChange,
  jobOf,
  NOW,
  pulling,
  readCall,
  image as someImage,
} from "../../support/network.ts";

export type { Answer } from "../../support/network.ts";
export { NOW };

export const LOCATION = "accounts/1/locations/2";
export const POST_NAME = `${LOCATION}/localPosts/3`;

const POSTS = `/v4/${LOCATION}/localPosts`;
export const CREATE = `POST ${POSTS}`;
export const LIST = `GET ${POSTS}`;
export const GET = `GET /v4/${POST_NAME}`;
export const PATCH = `PATCH /v4/${POST_NAME}`;
export const DELETE = `DELETE /v4/${POST_NAME}`;
export const ACCOUNTS = "GET /v1/accounts";
export const locationsOf = (account: string) => `GET /v1/accounts/${account}/locations`;

/** Unexpected calls fail the test. */
export const scriptedFetch = answeringByName(readCall, ({ method, path }) => `${method} ${path}`);

export const image = (change: Partial<MediaItem> = {}): MediaItem =>
  someImage({ sizeBytes: 20_000, ...change });

export function post(change: JobChange = {}): Post<GoogleBusinessSettings, MediaItem> {
  const { title = null, description = "Look", media = [] } = change;
  return { title, description, media, settings: settings.read(change.settings ?? {}).values };
}

export const job = (fetch: Fetch, change: JobChange = {}) =>
  jobOf(fetch, change, {
    post: post(change),
    account: { platformAccountId: LOCATION, handle: null, service: null },
    accessToken: "ya29.1",
    ...pulling,
  });

export const shown = (change: object = {}) => ({
  name: POST_NAME,
  summary: "Look",
  topicType: "STANDARD",
  state: "LIVE",
  createTime: NOW.toISOString(),
  searchUrl: "https://local.google.com/place?id=2&use=posts&lpsid=3",
  ...change,
});

/** google.rpc.Status. */
export const error = (
  status: number,
  message: string,
  details: object[] = [],
  headers: Record<string, string> = {},
): Response =>
  Response.json(
    { error: { code: status, message, ...(details.length > 0 ? { details } : {}) } },
    { status, headers },
  );

export const info = (reason: string, metadata: object = {}) => ({
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason,
  domain: "googleapis.com",
  metadata,
});

export const invalid = (code: number, message: string, field?: string) =>
  error(400, "Request contains an invalid argument.", [
    {
      "@type": "type.googleapis.com/google.mybusiness.v4.ValidationError",
      errorDetails: [{ code, ...(field ? { field } : {}), message }],
    },
  ]);

export const noQuota = () =>
  error(
    429,
    "Quota exceeded for quota metric 'Requests' and limit 'Requests per minute' of service 'mybusinessaccountmanagement.googleapis.com' for consumer 'project_number:1'.",
    [info("RATE_LIMIT_EXCEEDED", { quota_limit_value: "0" })],
  );
