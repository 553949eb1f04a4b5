import * as z from "zod";
import type { FieldError } from "../../core/errors.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import type {
  Bookmark,
  Fetch,
  Post,
  Prepared,
  PublishJob,
  Reconciled,
  Stopped,
  Submitted,
} from "../connector.ts";
import { checksFor } from "../kit/checks.ts";
import { notRenewable, toConnected } from "../kit/logins.ts";
import { type Refusal, refusalJudge } from "../kit/refusals.ts";
import { MISSING, PUBLIC_TEXT, seen } from "../kit/rehearsals.ts";
import { messageOf, replyReader } from "../kit/replies.ts";
import { bearerRequest } from "../kit/requests.ts";
import { published, ready, undecided } from "../kit/steps.ts";
import type { Connected, Credentials, LoginRefusal, LoginValues } from "../login.ts";
import type { AccountCall, ReadBack } from "../removal.ts";
import { capabilities, type ToySettings } from "./index.ts";

type Job = PublishJob<ToySettings>;

const API = "https://mastotoy.test/api";
const checks = checksFor("Mastotoy", capabilities);

const { readReply } = replyReader(
  10_000,
  (reply): Refusal => ({ status: reply.status, message: messageOf("Mastotoy", reply, null) }),
);
const isTokenRefusal = ({ status }: Refusal) => status === 401;
const judge = refusalJudge<Refusal>({ isTokenRefusal, ruleOf: () => undefined });

const NO_TOKENS: Credentials = { accessToken: "", refreshToken: null, expiresAt: null };

const session = z.object({ token: z.string() });
const owner = z.object({ id: z.string(), username: z.string() });
const file = z.object({ id: z.number() });
const status = z.object({ id: z.string(), url: z.string() });
const bookmarked = z.object({ key: z.string(), files: z.array(z.number()) });

export const check = ({ description, media }: Post<ToySettings>): FieldError[] => [
  ...checks.length("description", "the text", {
    count: description?.length ?? 0,
    max: capabilities.limits.postCharacters,
  }),
  ...checks.count("photo", media.length, capabilities.mediaSupport.maxCount, "images"),
  ...media.flatMap((item) => checks.file(item, { field: "photo", name: "The image" })),
];

export async function prepare(job: Job, bookmark: Bookmark | null): Promise<Prepared> {
  if (bookmark) return ready(bookmark);
  const files: number[] = [];
  for (const item of job.post.media) {
    const body = await new Response(await job.readMedia(item)).arrayBuffer();
    const request = bearerRequest(`${API}/media`, job.accessToken, { method: "POST", body });
    const reply = await readReply(await job.fetch(request), file);
    if (!reply.ok) return judge.toRefused(reply.error);
    files.push(reply.value.id);
  }
  return ready({ key: `${job.uploadId}-${job.attempt}`, files });
}

export async function submit(job: Job, bookmark: Bookmark): Promise<Submitted> {
  const { mastotoy_visibility: visibility } = job.post.settings;
  const json = { ...bookmarked.parse(bookmark), text: job.post.description ?? "", visibility };
  const request = bearerRequest(`${API}/statuses`, job.accessToken, { json });
  const reply = await readReply(await job.fetch(request), status);
  if (reply.ok) return published(reply.value.id, reply.value.url);
  if (judge.isUndecided(reply.error)) return undecided(reply.error.message);
  return judge.toRefused(reply.error);
}

export async function reconcile(job: Job, bookmark: Bookmark): Promise<Reconciled> {
  const { key } = bookmarked.parse(bookmark);
  const request = bearerRequest(`${API}/statuses/${key}`, job.accessToken);
  const reply = await readReply(await job.fetch(request), status);
  if (reply.ok) return published(reply.value.id, reply.value.url);
  return reply.error.status === 404 ? { kind: "absent" } : judge.toUnknowable(reply.error);
}

export const plan = () => ok(PUBLIC_TEXT);

export async function readBack(
  { fetch, accessToken }: AccountCall,
  key: string,
): Promise<Result<ReadBack, Stopped>> {
  const request = bearerRequest(`${API}/statuses/${key}`, accessToken);
  const reply = await readReply(await fetch(request), status);
  if (reply.ok) return seen();
  return reply.error.status === 404 ? MISSING : refuse(judge.toRefused(reply.error));
}

export async function identify(
  fetch: Fetch,
  credentials: Credentials,
): Promise<Result<Connected, LoginRefusal>> {
  const request = bearerRequest(`${API}/me`, credentials.accessToken);
  const reply = await readReply(await fetch(request), owner);
  return toConnected(reply, credentials, isTokenRefusal, ({ id, username }) => ({
    id,
    name: username,
  }));
}

export async function connect(
  fetch: Fetch,
  { identifier, appPassword: password }: LoginValues,
): Promise<Result<Connected, LoginRefusal>> {
  const request = bearerRequest(`${API}/login`, "", { json: { identifier, password } });
  const reply = await readReply(await fetch(request), session);
  if (!reply.ok) return toConnected(reply, NO_TOKENS, isTokenRefusal, () => ({ id: "", name: "" }));
  return identify(fetch, { ...NO_TOKENS, accessToken: reply.value.token });
}

export const refresh = (): Result<Credentials, LoginRefusal> => notRenewable("Mastotoy");

export function revoke(): void {}
