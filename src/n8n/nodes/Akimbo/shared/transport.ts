import {
  type IAllExecuteFunctions,
  type IDataObject,
  type IExecuteFunctions,
  type IHookFunctions,
  type IHttpRequestMethods,
  type IHttpRequestOptions,
  type ILoadOptionsFunctions,
  type IN8nHttpFullResponse,
  type JsonObject,
  NodeApiError,
  sleep,
} from "n8n-workflow";
import { toOrigin } from "./address.ts";
import { type CallOrigin, idempotencyKey } from "./idempotency.ts";
import { type Answer, describeRefusal } from "./refusal.ts";

export type Caller = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions;

export interface ApiCall {
  method: IHttpRequestMethods;
  /** Below /api/v1. */
  path: string;
  query?: IDataObject;
  json?: IDataObject;
  form?: FormData;
  idempotencyKey?: string;
  itemIndex?: number;
}

const CREDENTIALS: Record<string, string> = {
  accessToken: "akimboApi",
  oAuth2: "akimboOAuth2Api",
};

/** The widest window of Akimbo's limits of calls. */
const MAX_WAIT_SECONDS = 15 * 60;

const CANCEL_CHECK_SECONDS = 5;

/** @returns false when the execution was cancelled meanwhile */
export async function pause(node: IExecuteFunctions, seconds: number): Promise<boolean> {
  for (let left = seconds; left > 0; left -= CANCEL_CHECK_SECONDS) {
    if (node.getExecutionCancelSignal()?.aborted) return false;
    await sleep(Math.min(left, CANCEL_CHECK_SECONDS) * 1000);
  }
  return true;
}

function credentialName(caller: Caller): string {
  const chosen = caller.getNodeParameter("authentication", 0) as string;
  return CREDENTIALS[chosen] ?? "akimboApi";
}

async function send(caller: Caller, name: string, options: IHttpRequestOptions): Promise<Answer> {
  try {
    const { body, headers, statusCode } = (await caller.helpers.httpRequestWithAuthentication.call(
      caller as IAllExecuteFunctions,
      name,
      options,
    )) as IN8nHttpFullResponse;
    const seconds = Number(headers["retry-after"]);
    return { status: statusCode, body, retryAfterSeconds: seconds > 0 ? seconds : null };
  } catch (error) {
    // n8n renews an OAuth login at a 401, and throws the one that stays.
    const refusal = new NodeApiError(caller.getNode(), error);
    if (refusal.httpCode !== "401") throw refusal;
    const body = refusal.context.data ?? { success: false, error: "The token is not valid." };
    return { status: 401, body, retryAfterSeconds: null };
  }
}

const comesAgain = ({ status, body }: Answer): boolean =>
  status === 429 ||
  (status === 409 && (body as IDataObject | undefined)?.code === "IDEMPOTENCY_IN_PROGRESS");

/**
 * Calls the API of the credential's instance. Waits where the instance says how long, up to the widest window of its
 * limits.
 *
 * @throws NodeApiError with the instance's own words and what to do
 */
export async function callApi(caller: Caller, call: ApiCall): Promise<IDataObject> {
  const name = credentialName(caller);
  const { baseUrl } = await caller.getCredentials(name);
  const origin = toOrigin(String(baseUrl));
  const path = `/api/v1${call.path}`;
  const options: IHttpRequestOptions = {
    method: call.method,
    url: origin + path,
    headers: call.idempotencyKey ? { "Idempotency-Key": call.idempotencyKey } : {},
    returnFullResponse: true,
    ignoreHttpStatusErrors: { ignore: true, except: [401] },
    ...(call.query ? { qs: call.query } : {}),
    ...(call.json ? { body: call.json } : {}),
    ...(call.form ? { body: call.form } : {}),
    json: true,
  };
  let waitedSeconds = 0;
  for (;;) {
    const answer = await send(caller, name, { ...options, headers: { ...options.headers } });
    const body = answer.body as IDataObject;
    if (answer.status < 300 && body?.success === true) return body;
    const wait = comesAgain(answer) ? answer.retryAfterSeconds : null;
    const canWait = wait !== null && waitedSeconds + wait <= MAX_WAIT_SECONDS;
    if (canWait && "getExecutionCancelSignal" in caller && (await pause(caller, wait))) {
      waitedSeconds += wait;
      continue;
    }
    const { message, description } = describeRefusal(`${call.method} ${path}`, origin, answer);
    throw new NodeApiError(caller.getNode(), body as JsonObject, {
      message,
      description,
      httpCode: String(answer.status),
      ...(call.itemIndex === undefined ? {} : { itemIndex: call.itemIndex }),
    });
  }
}

/** Where the calls of an item come from. A repeated execution continues the context of the first one, unlike its id. */
function originOf(node: IExecuteFunctions, itemIndex: number): CallOrigin {
  const context = node.getContext("node");
  context.firstExecutionId ??= node.getExecutionId();
  return {
    instanceId: node.getInstanceId(),
    workflowId: node.getWorkflow().id ?? "",
    executionId: String(context.firstExecutionId),
    nodeName: node.getNode().name,
    runIndex: Number(node.evaluateExpression("{{ $runIndex }}", itemIndex)),
    itemIndex,
  };
}

export const keyOf = (node: IExecuteFunctions, itemIndex: number, part: string): string =>
  idempotencyKey(originOf(node, itemIndex), part);
