import { randomBytes } from "node:crypto";
import {
  type IDataObject,
  type IHookFunctions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeApiError,
  NodeConnectionTypes,
} from "n8n-workflow";
import { callApi } from "../Akimbo/shared/transport.ts";
import { EVENTS } from "./events.ts";
import { isFromAkimbo } from "./signature.ts";

const REFUSAL = "The signature is not of this webhook's secret, or is older than five minutes.";

/** What the node remembers of its webhook. */
interface Subscription extends IDataObject {
  webhookId?: number;
  secret?: string;
}

const subscriptionOf = (node: IHookFunctions | IWebhookFunctions): Subscription =>
  node.getWorkflowStaticData("node") as Subscription;

const eventsOf = (node: IHookFunctions): string[] => node.getNodeParameter("events") as string[];

const isSame = (a: readonly string[] = [], b: readonly string[] = []): boolean =>
  JSON.stringify([...a].sort()) === JSON.stringify([...b].sort());

async function removeWebhook(node: IHookFunctions, id: unknown): Promise<void> {
  try {
    await callApi(node, { method: "DELETE", path: `/webhooks/${id}` });
  } catch (error) {
    const refusal = new NodeApiError(node.getNode(), error);
    if (refusal.httpCode !== "404") throw refusal;
  }
}

export class AkimboTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Akimbo Trigger",
    name: "akimboTrigger",
    icon: { light: "file:../../icons/akimbo.svg", dark: "file:../../icons/akimbo.dark.svg" },
    group: ["trigger"],
    version: 1,
    subtitle: '={{ $parameter["events"].join(", ") }}',
    description: "Start the workflow when a post is published or fails, and at other events",
    defaults: { name: "Akimbo Trigger" },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [
      {
        name: "akimboApi",
        required: true,
        displayOptions: { show: { authentication: ["accessToken"] } },
      },
      {
        name: "akimboOAuth2Api",
        required: true,
        displayOptions: { show: { authentication: ["oAuth2"] } },
      },
    ],
    webhooks: [
      { name: "default", httpMethod: "POST", responseMode: "onReceived", path: "webhook" },
    ],
    properties: [
      {
        displayName: "Authentication",
        name: "authentication",
        type: "options",
        options: [
          { name: "Access Token", value: "accessToken" },
          { name: "OAuth2", value: "oAuth2" },
        ],
        default: "accessToken",
      },
      {
        displayName: "Events",
        name: "events",
        type: "multiOptions",
        options: EVENTS,
        default: ["upload.completed", "upload.failed"],
        required: true,
        description: "What starts the workflow. The token has to be of an owner or admin.",
      },
    ],
  };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const { webhookId, secret } = subscriptionOf(this);
        const { data } = await callApi(this, { method: "GET", path: "/webhooks" });
        const url = this.getNodeWebhookUrl("default");
        for (const webhook of data as IDataObject[]) {
          if (webhook.url !== url) continue;
          const isOwn = webhook.id === webhookId && secret && webhook.isActive === true;
          if (isOwn && isSame(webhook.events as string[], eventsOf(this))) return true;
          // Its secret is unknown, or it was switched off, or it is of other events.
          await removeWebhook(this, webhook.id);
        }
        return false;
      },
      async create(this: IHookFunctions): Promise<boolean> {
        const secret = randomBytes(32).toString("hex");
        const events = eventsOf(this);
        const json = { url: this.getNodeWebhookUrl("default"), events, secret };
        const { data } = await callApi(this, { method: "POST", path: "/webhooks", json });
        const { id } = data as IDataObject;
        Object.assign(subscriptionOf(this), { webhookId: id, secret });
        return true;
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        const subscription = subscriptionOf(this);
        if (subscription.webhookId !== undefined) {
          await removeWebhook(this, subscription.webhookId);
        }
        delete subscription.webhookId;
        delete subscription.secret;
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const { secret = "" } = subscriptionOf(this);
    const headers = this.getHeaderData();
    const delivery = {
      body: this.getRequestObject().rawBody ?? Buffer.alloc(0),
      timestamp: String(headers["x-webhook-timestamp"] ?? ""),
      signature: String(headers["x-webhook-signature"] ?? ""),
    };
    if (!isFromAkimbo(delivery, secret, new Date())) {
      this.getResponseObject().status(401).json({ success: false, error: REFUSAL });
      return { noWebhookResponse: true };
    }
    return { workflowData: [this.helpers.returnJsonArray(this.getBodyData())] };
  }
}
