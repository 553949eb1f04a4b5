import type { IDataObject } from "n8n-workflow";
import { accountLocator, PLATFORM_OPTIONS, showFor } from "../shared/descriptions.ts";
import { fieldsOf, filled, type Resource, textOf } from "../shared/operation.ts";
import { callApi } from "../shared/transport.ts";

export const account: Resource = {
  properties: [
    {
      displayName: "Operation",
      name: "operation",
      type: "options",
      noDataExpression: true,
      displayOptions: showFor("account"),
      options: [
        {
          name: "Get",
          value: "get",
          action: "Get account",
          description: "Retrieve a connected account",
        },
        {
          name: "Get Many",
          value: "getAll",
          action: "Get many accounts",
          description: "Retrieve a list of connected accounts",
        },
      ],
      default: "getAll",
    },
    accountLocator(showFor("account", "get")),
    {
      displayName: "Filters",
      name: "filters",
      type: "collection",
      placeholder: "Add Filter",
      default: {},
      displayOptions: showFor("account", "getAll"),
      options: [
        {
          displayName: "Platform",
          name: "platform",
          type: "options",
          options: PLATFORM_OPTIONS,
          default: "bluesky",
        },
        {
          displayName: "Status",
          name: "status",
          type: "options",
          options: [
            { name: "Active", value: "active" },
            { name: "Expired", value: "expired" },
            { name: "Revoked", value: "revoked" },
          ],
          default: "active",
        },
        {
          displayName: "Tags",
          name: "tags",
          type: "string",
          default: "",
          description: "Text in the list of tags of the account",
        },
      ],
    },
  ],
  operations: {
    async get(node, itemIndex) {
      const id = encodeURIComponent(textOf(node, "accountId", itemIndex));
      const { data } = await callApi(node, { method: "GET", path: `/accounts/${id}`, itemIndex });
      return [data as IDataObject];
    },
    async getAll(node, itemIndex) {
      const query = filled(fieldsOf(node, "filters", itemIndex));
      const { data } = await callApi(node, { method: "GET", path: "/accounts", query, itemIndex });
      return data as IDataObject[];
    },
  },
};
