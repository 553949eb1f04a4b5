import { type IDataObject, type IExecuteFunctions, NodeOperationError } from "n8n-workflow";
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
  /** Whether a failed post makes the node fail. */
  failsWithPost: boolean;
}

export function readWaitOptions(options: IDataObject): WaitOptions {
  return {
    maxWaitSeconds: Number(options.maxWait ?? 600),
    failsWithPost: options.failsWithPost !== false,
  };
}

/** Reads a post until it is published or failed, or stays as it is until its date comes or a person acts. */
async function waitForPost(
  node: IExecuteFunctions,
  itemIndex: number,
  id: string,
  deadline: number,
): Promise<IDataObject> {
  let post = await readPost(node, itemIndex, id);
  for (let reads = 0; !hasEnded(String(post.status)); reads++) {
    const remaining = (deadline - Date.now()) / 1000;
    if (remaining <= 0 || !(await pause(node, nextReadSeconds(reads, remaining)))) break;
    post = await readPost(node, itemIndex, id);
  }
  return post;
}

/**
 * Waits for posts, and returns them simplified.
 *
 * @throws NodeOperationError for failed posts, if the options say so
 */
export async function waitForPosts(
  node: IExecuteFunctions,
  itemIndex: number,
  ids: readonly string[],
  { maxWaitSeconds, failsWithPost }: WaitOptions,
): Promise<IDataObject[]> {
  const deadline = Date.now() + maxWaitSeconds * 1000;
  const posts: IDataObject[] = [];
  for (const id of ids) posts.push(await waitForPost(node, itemIndex, id, deadline));
  const failed = posts.filter(({ status }) => status === "failed");
  if (failsWithPost && failed.length > 0) {
    throw new NodeOperationError(node.getNode(), titleOf(failed, posts.length), {
      itemIndex,
      description: failed.map((post) => lineOf(post, posts.length > 1)).join("\n"),
    });
  }
  return posts.map((post) => ({
    ...toSimplePost(post),
    hasEnded: hasEnded(String(post.status)),
  }));
}

const reasonOf = ({ id, platform, errorMessage, failure }: IDataObject): string =>
  `Post ${id} was not published on ${platform}: ${errorMessage ?? (failure as unknown as Failure).code}`;

const titleOf = (failed: readonly IDataObject[], total: number): string =>
  total === 1 ? reasonOf(failed[0]) : `${failed.length} of ${total} posts were not published`;

function lineOf(post: IDataObject, isOneOfSeveral: boolean): string {
  const action = NEXT_ACTIONS[(post.failure as unknown as Failure).nextAction] ?? "";
  return isOneOfSeveral ? `${reasonOf(post)}. ${action}` : action;
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
