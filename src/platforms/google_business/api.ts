import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import type { Refusal } from "../kit/refusals.ts";
import { messageOf, readRetryAfter, replyReader, toWait } from "../kit/replies.ts";
import { bearerRequest } from "../kit/requests.ts";
import { maybeAddress, maybeText } from "../kit/shapes.ts";
import { apiVersion } from "./capabilities.ts";
import type { LocalPost } from "./local-post.ts";

export const NAME = "Google Business";

const ACCOUNTS = "https://mybusinessaccountmanagement.googleapis.com/v1";
const LOCATIONS = "https://mybusinessbusinessinformation.googleapis.com/v1";
const POSTS = `https://mybusiness.googleapis.com/${apiVersion.version}`;

const MAX_REPLY_BYTES = 2 * 1_024 * 1_024;

export interface GoogleRefusal extends Refusal {
  /** Of google.rpc.ErrorInfo, or OAuth's error. */
  reason: string | null;
  /** The host that refused the call. */
  service: string | null;
  /** Calls a minute; 0 for a project without approval. */
  quota: string | null;
  /** Of Google's ErrorCode. */
  codes: readonly number[];
  /** The answer is not in the API's form, as for a path that does not exist. */
  isForeign: boolean;
  retryAfterSeconds: number | null;
}

export type Reading<T> = Promise<Result<T, GoogleRefusal>>;

const optionalText = z.string().optional().catch(undefined);

/** One shape for google.rpc.ErrorInfo, google.rpc.BadRequest and v4's ValidationError. */
const detail = z.object({
  reason: optionalText,
  metadata: z
    .object({ service: optionalText, quota_limit_value: optionalText })
    .optional()
    .catch(undefined),
  errorDetails: z
    .array(
      z.object({
        code: z.number().optional().catch(undefined),
        field: optionalText,
        message: optionalText,
      }),
    )
    .optional()
    .catch(undefined),
  fieldViolations: z
    .array(z.object({ field: optionalText, description: optionalText }))
    .optional()
    .catch(undefined),
});

const apiError = z.object({
  error: z.object({
    message: optionalText,
    details: z.array(detail.catch({})).optional().catch(undefined),
  }),
});

const oauthError = z.object({ error: z.string().min(1), error_description: optionalText });

const inField = (field: string | undefined, words: string | undefined): string[] =>
  words ? [field ? `${field}: ${words}` : words] : [];

function toRefusal(reply: Response, body: unknown): GoogleRefusal {
  const { error } = apiError.safeParse(body).data ?? {};
  const oauth = oauthError.safeParse(body).data;
  const details = error?.details ?? [];
  const info = details.find(({ reason }) => reason);
  const faults = details.flatMap(({ errorDetails = [] }) => errorDetails);
  const words = [
    ...faults.flatMap(({ field, message }) => inField(field, message)),
    ...details
      .flatMap(({ fieldViolations = [] }) => fieldViolations)
      .flatMap(({ field, description }) => inField(field, description)),
  ].join(" ");
  const wait = readRetryAfter(reply);
  return {
    status: reply.status,
    reason: info?.reason ?? oauth?.error ?? null,
    service: info?.metadata?.service ?? null,
    quota: info?.metadata?.quota_limit_value ?? null,
    codes: faults.flatMap(({ code }) => code ?? []),
    isForeign: !error && !oauth,
    message: messageOf(NAME, reply, words || error?.message || oauth?.error_description),
    retryAfterSeconds: wait === null ? null : toWait(wait),
  };
}

export const { readReply, readerOf, readDoneReply } = replyReader(MAX_REPLY_BYTES, toRefusal);

const ACCOUNTS_PER_PAGE = 20;
const PER_PAGE = 100;

const withPage = (query: Record<string, string>, pageToken: string | null): string =>
  `${new URLSearchParams({ ...query, ...(pageToken === null ? {} : { pageToken }) })}`;

/** @see https://developers.google.com/my-business/reference/accountmanagement/rest/v1/accounts/list */
export const listAccountsRequest = (token: string, page: string | null): Request =>
  bearerRequest(
    `${ACCOUNTS}/accounts?${withPage({ pageSize: String(ACCOUNTS_PER_PAGE) }, page)}`,
    token,
  );

const nextPageToken = maybeText.transform((text) => text || null);

const account = z.object({ name: z.string().regex(/^accounts\/\w+$/), type: maybeText });

export type Account = z.output<typeof account>;

export const readListAccountsReply = readerOf(
  z.object({ accounts: z.array(account).default([]), nextPageToken }),
);

/** @see https://developers.google.com/my-business/reference/businessinformation/rest/v1/accounts.locations/list */
export const listLocationsRequest = (
  token: string,
  accountName: string,
  page: string | null,
): Request => {
  const query = { readMask: "name,title,metadata", pageSize: String(PER_PAGE) };
  return bearerRequest(`${LOCATIONS}/${accountName}/locations?${withPage(query, page)}`, token);
};

const location = z.object({
  name: z.string().regex(/^locations\/\w+$/),
  title: maybeText,
  metadata: z
    .object({ canOperateLocalPost: z.boolean().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

export type Location = z.output<typeof location>;

export const readListLocationsReply = readerOf(
  z.object({ locations: z.array(location).default([]), nextPageToken }),
);

const localPost = z.object({
  name: z.string().regex(/^accounts\/\w+\/locations\/\w+\/localPosts\/[\w-]+$/),
  state: maybeText,
  topicType: maybeText,
  summary: maybeText,
  createTime: maybeText,
  searchUrl: maybeAddress,
  event: z.object({ title: maybeText }).nullish().catch(null),
});

export type ListedPost = z.output<typeof localPost>;

export const readPostReply = readerOf(localPost);

/** @see https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts/create */
export const createPostRequest = (token: string, locationPath: string, post: LocalPost): Request =>
  bearerRequest(`${POSTS}/${locationPath}/localPosts`, token, { json: post });

/** @param name `accounts/…/locations/…/localPosts/…` */
export const getPostRequest = (token: string, name: string): Request =>
  bearerRequest(`${POSTS}/${name}`, token);

/** @see https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts/patch */
export const changeSummaryRequest = (token: string, name: string, summary: string): Request =>
  bearerRequest(`${POSTS}/${name}?updateMask=summary`, token, {
    method: "PATCH",
    json: { summary },
  });

export const deletePostRequest = (token: string, name: string): Request =>
  bearerRequest(`${POSTS}/${name}`, token, { method: "DELETE" });

/** @see https://developers.google.com/my-business/reference/rest/v4/accounts.locations.localPosts/list */
export const listPostsRequest = (
  token: string,
  locationPath: string,
  page: string | null,
): Request =>
  bearerRequest(
    `${POSTS}/${locationPath}/localPosts?${withPage({ pageSize: String(PER_PAGE) }, page)}`,
    token,
  );

export const readListPostsReply = readerOf(
  z.object({ localPosts: z.array(localPost).default([]), nextPageToken }),
);

interface Page<T> {
  items: readonly T[];
  next: string | null;
}

/** Reads pages until `isEnough`. `isWhole` is false for a list that goes on. */
export async function readPages<T>(
  read: (page: string | null) => Reading<Page<T>>,
  maxPages: number,
): Reading<{ items: T[]; isWhole: boolean }> {
  const items: T[] = [];
  let page: string | null = null;
  for (let i = 0; i < maxPages; i++) {
    const reply: Result<Page<T>, GoogleRefusal> = await read(page);
    if (!reply.ok) return refuse(reply.error);
    items.push(...reply.value.items);
    page = reply.value.next;
    if (page === null) return ok({ items, isWhole: true });
  }
  return ok({ items, isWhole: false });
}
