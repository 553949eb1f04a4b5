import {
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type JsonObject,
  NodeApiError,
  NodeConnectionTypes,
  NodeOperationError,
} from "n8n-workflow";
import { account } from "./resources/account.ts";
import { analytics } from "./resources/analytics.ts";
import { link } from "./resources/link.ts";
import { media } from "./resources/media.ts";
import { poolItem } from "./resources/pool-item.ts";
import { post } from "./resources/post.ts";
import { getAccounts, searchAccounts, searchPools } from "./shared/lists.ts";
import type { Resource } from "./shared/operation.ts";

const RESOURCES: Record<string, Resource> = { account, analytics, link, media, poolItem, post };

export class Akimbo implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Akimbo",
    name: "akimbo",
    icon: { light: "file:../../icons/akimbo.svg", dark: "file:../../icons/akimbo.dark.svg" },
    group: ["output"],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: "Publish to social networks with your own Akimbo",
    defaults: { name: "Akimbo" },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
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
        displayName: "Resource",
        name: "resource",
        type: "options",
        noDataExpression: true,
        options: [
          { name: "Account", value: "account" },
          { name: "Analytics", value: "analytics" },
          { name: "Media", value: "media" },
          { name: "Pool Item", value: "poolItem" },
          { name: "Post", value: "post" },
          { name: "Short Link", value: "link" },
        ],
        default: "post",
      },
      ...Object.values(RESOURCES).flatMap(({ properties }) => properties),
    ],
  };

  methods = {
    loadOptions: { getAccounts },
    listSearch: { searchAccounts, searchPools },
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const results: INodeExecutionData[] = [];
    const resource = this.getNodeParameter("resource", 0) as string;
    const operation = this.getNodeParameter("operation", 0) as string;
    const run = RESOURCES[resource]?.operations[operation];
    if (!run) {
      throw new NodeOperationError(
        this.getNode(),
        `'${resource}' does not have the operation '${operation}'`,
      );
    }
    for (let itemIndex = 0; itemIndex < this.getInputData().length; itemIndex++) {
      try {
        for (const json of await run(this, itemIndex)) {
          results.push({ json, pairedItem: { item: itemIndex } });
        }
      } catch (error) {
        if (!this.continueOnFail()) {
          // Both classes leave an error of their own as it is.
          if (error instanceof NodeApiError)
            throw new NodeApiError(this.getNode(), error as unknown as JsonObject);
          throw new NodeOperationError(this.getNode(), error, { itemIndex });
        }
        results.push({
          json: { error: error.message, description: error.description ?? null },
          pairedItem: { item: itemIndex },
        });
      }
    }
    return [results];
  }
}
