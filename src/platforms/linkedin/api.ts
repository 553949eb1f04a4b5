import * as z from "zod";
import type { Result } from "../../core/result.ts";
import type { Refusal } from "../kit/refusals.ts";
import { messageOf, readRetryAfter, replyReader } from "../kit/replies.ts";
import { bearerRequest } from "../kit/requests.ts";
import { maybeText } from "../kit/shapes.ts";
import { apiVersion } from "./capabilities.ts";

export const API = "https://api.linkedin.com";
export const LOGINS = "https://www.linkedin.com/oauth/v2";

const MAX_REPLY_BYTES = 2_000_000;

export interface LinkedInRefusal extends Refusal {
  code: string | null;
  retryAfterSeconds: number | null;
}

export type Reading<T> = Promise<Result<T, LinkedInRefusal>>;

/** The API sends `code` and `message`, the token endpoint `error` and `error_description`. */
const errorBody = z.object({
  code: maybeText,
  message: maybeText,
  error: maybeText,
  error_description: maybeText,
});

function toRefusal(reply: Response, body: unknown): LinkedInRefusal {
  const error = errorBody.safeParse(body).data;
  return {
    status: reply.status,
    code: error?.code || error?.error || null,
    message: messageOf("LinkedIn", reply, error?.message?.trim() || error?.error_description),
    retryAfterSeconds: readRetryAfter(reply),
  };
}

export const { readReply, readerOf, readDoneReply } = replyReader(MAX_REPLY_BYTES, toRefusal);

const REST_HEADERS = {
  [apiVersion.header]: apiVersion.version,
  "x-restli-protocol-version": "2.0.0",
};

export const get = (
  path: string,
  accessToken: string,
  headers: Record<string, string> = {},
): Request =>
  bearerRequest(`${API}/rest/${path}`, accessToken, { headers: { ...REST_HEADERS, ...headers } });

export const post = (
  path: string,
  accessToken: string,
  json: object,
  headers: Record<string, string> = {},
): Request =>
  bearerRequest(`${API}/rest/${path}`, accessToken, {
    headers: { ...REST_HEADERS, ...headers },
    json,
  });

export const remove = (path: string, accessToken: string): Request =>
  bearerRequest(`${API}/rest/${path}`, accessToken, {
    method: "DELETE",
    headers: { ...REST_HEADERS, "x-restli-method": "DELETE" },
  });

export const encodeUrn = (urn: string): string => encodeURIComponent(urn);
