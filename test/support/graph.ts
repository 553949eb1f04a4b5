import type { Bookmark } from "../../src/platforms/connector.ts";
import { answeringInOrder, NOW, readCall } from "./network.ts";

async function readForm(request: Request) {
  const call = await readCall(request);
  return {
    ...call,
    form: Object.fromEntries(new URLSearchParams(call.text)),
    authorization: call.headers.authorization ?? null,
  };
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });

export const graphError = (
  code: number,
  subcode?: number,
  more: Record<string, unknown> = {},
  status = 400,
  headers: Record<string, string> = {},
) =>
  json(
    {
      error: {
        message: "For developers",
        type: "OAuthException",
        code,
        ...(subcode === undefined ? {} : { error_subcode: subcode }),
        fbtrace_id: "A",
        ...more,
      },
    },
    status,
    headers,
  );

/** Answers the calls in their order. A call that nobody expects fails the test. */
export const scriptedFetch = answeringInOrder(readForm);

/** Bookmark of a post right before it is published. */
export const READY: Bookmark = {
  stage: "container",
  containerId: "17",
  since: NOW.getTime() - 5_000,
  readyAt: NOW.getTime(),
};
