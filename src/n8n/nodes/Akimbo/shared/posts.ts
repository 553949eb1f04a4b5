import {
  type IDataObject,
  type IExecuteFunctions,
  type JsonObject,
  NodeApiError,
} from "n8n-workflow";
import { hasEnded, nextReadSeconds } from "./ending.ts";
import { callApi, pause } from "./transport.ts";

interface Failure {
  code: string;
  nextAction: string;
}

/** @see the table of failures in the guide "How a post is published" */
const NEXT_ACTIONS: Record<string, string> = {
  retry_later: "The platform's limit is reached. Retry the post later in Akimbo.",
  reconnect_account: "Connect the account again in Akimbo, then retry the post there.",
  retry: "Retry the post in Akimbo.",
  replace_media: "The platform does not take the file. Create the post again with another file.",
  edit_post:
    "The platform does not take the content. Change it in Akimbo, then retry the post there.",
  check_platform: "Look at the platform first: the post may be there, and would be there twice.",
};

export async function readPost(
  node: IExecuteFunctions,
  itemIndex: number,
  id: string,
): Promise<IDataObject> {
  const path = `/upload/${encodeURIComponent(id)}`;
  const { data } = await callApi(node, { method: "GET", path, itemIndex });
  return data as IDataObject;
}

export interface WaitOptions {
  maxWaitSeconds: number;
  failsWithPost: boolean;
}

export function readWaitOptions(options: IDataObject): WaitOptions {
  return {
    maxWaitSeconds: Number(options.maxWait ?? 600),
    failsWithPost: options.failsWithPost !== false,
  };
}

/**
 * Reads a post until it is published or failed, or stays as it is until its date comes or a person acts.
 *
 * @throws NodeApiError for a failed post, if the options say so
 */
export async function waitForPost(
  node: IExecuteFunctions,
  itemIndex: number,
  id: string,
  { maxWaitSeconds, failsWithPost }: WaitOptions,
): Promise<IDataObject> {
  const deadline = Date.now() + maxWaitSeconds * 1000;
  let post = await readPost(node, itemIndex, id);
  for (let reads = 1; !hasEnded(String(post.status)); reads++) {
    const remaining = (deadline - Date.now()) / 1000;
    if (remaining <= 0 || !(await pause(node, nextReadSeconds(reads - 1, remaining)))) break;
    post = await readPost(node, itemIndex, id);
  }
  if (failsWithPost && post.status === "failed") throw failureOf(node, itemIndex, post);
  return { ...toSimplePost(post), hasEnded: hasEnded(String(post.status)) };
}

function failureOf(node: IExecuteFunctions, itemIndex: number, post: IDataObject): NodeApiError {
  const { code, nextAction } = post.failure as unknown as Failure;
  const reason = post.errorMessage ?? code;
  return new NodeApiError(node.getNode(), post as JsonObject, {
    itemIndex,
    message: `Post ${post.id} was not published on ${post.platform}: ${reason}`,
    description: NEXT_ACTIONS[nextAction] ?? "",
  });
}

export function toSimplePost(post: IDataObject): IDataObject {
  const account = (post.connectedAccount ?? {}) as IDataObject;
  const metadata = (post.metadata ?? {}) as IDataObject;
  return {
    id: post.id,
    status: post.status,
    platform: post.platform,
    accountId: account.id,
    title: post.title,
    description: post.description,
    scheduledFor: post.scheduledFor,
    shareUrl: metadata.shareUrl ?? null,
    failure: post.failure,
    errorMessage: post.errorMessage,
  };
}
