import type { IDataObject } from "n8n-workflow";
import { limitFields, showFor } from "../shared/descriptions.ts";
import { contentOf, fieldsOf, filled, type Resource, textOf } from "../shared/operation.ts";
import { listPages } from "../shared/pages.ts";
import { callApi, keyOf } from "../shared/transport.ts";

export const link: Resource = {
  properties: [
    {
      displayName: "Operation",
      name: "operation",
      type: "options",
      noDataExpression: true,
      displayOptions: showFor("link"),
      options: [
        {
          name: "Create",
          value: "create",
          action: "Create short link",
          description: "Create a new short link",
        },
        {
          name: "Delete",
          value: "delete",
          action: "Delete short link",
          description: "Delete a short link, which stops redirecting",
        },
        {
          name: "Get",
          value: "get",
          action: "Get short link",
          description: "Retrieve a short link with its clicks",
        },
        {
          name: "Get Many",
          value: "getAll",
          action: "Get many short links",
          description: "Retrieve a list of short links",
        },
      ],
      default: "create",
    },
    {
      displayName: "URL",
      name: "url",
      type: "string",
      default: "",
      required: true,
      placeholder: "e.g. https://example.com/shop",
      displayOptions: showFor("link", "create"),
      description: "The address that visitors are sent to",
    },
    {
      displayName: "Link ID",
      name: "linkId",
      type: "string",
      default: "",
      required: true,
      displayOptions: showFor("link", "get", "delete"),
    },
    {
      displayName: "Additional Fields",
      name: "additionalFields",
      type: "collection",
      placeholder: "Add Field",
      default: {},
      displayOptions: showFor("link", "create"),
      options: [
        {
          displayName: "Description",
          name: "description",
          type: "string",
          default: "",
          description: "Description in previews of social networks",
        },
        {
          displayName: "Domain ID",
          name: "domainId",
          type: "number",
          default: 0,
          description: "A verified domain of the team, in place of the instance's own address",
        },
        {
          displayName: "Image URL",
          name: "imageUrl",
          type: "string",
          default: "",
          placeholder: "e.g. https://example.com/image.png",
          description: "Image in previews of social networks",
        },
        {
          displayName: "Open Apps",
          name: "useDeeplink",
          type: "boolean",
          default: false,
          description: "Whether an address of a platform opens in its app, on phones that have it",
        },
        {
          displayName: "Slug",
          name: "slug",
          type: "string",
          default: "",
          placeholder: "e.g. spring-sale",
          description: "The end of the short address. One is made if this is empty.",
        },
        {
          displayName: "Title",
          name: "title",
          type: "string",
          default: "",
          description: "Title in previews of social networks",
        },
      ],
    },
    ...limitFields(showFor("link", "getAll")),
    {
      displayName: "Filters",
      name: "filters",
      type: "collection",
      placeholder: "Add Filter",
      default: {},
      displayOptions: showFor("link", "getAll"),
      options: [
        {
          displayName: "Search",
          name: "search",
          type: "string",
          default: "",
          description: "Words in the slug, the address or the title",
        },
      ],
    },
  ],
  operations: {
    async create(node, itemIndex) {
      const fields = filled(fieldsOf(node, "additionalFields", itemIndex));
      if (!fields.domainId) delete fields.domainId;
      const created = await callApi(node, {
        method: "POST",
        path: "/short-links",
        json: { url: textOf(node, "url", itemIndex), ...fields },
        idempotencyKey: keyOf(node, itemIndex, "link"),
        itemIndex,
      });
      return [contentOf(created)];
    },
    async delete(node, itemIndex) {
      const id = encodeURIComponent(textOf(node, "linkId", itemIndex));
      await callApi(node, { method: "DELETE", path: `/short-links/${id}`, itemIndex });
      return [{ deleted: true }];
    },
    async get(node, itemIndex) {
      const id = encodeURIComponent(textOf(node, "linkId", itemIndex));
      const path = `/short-links/${id}`;
      const body = await callApi(node, { method: "GET", path, itemIndex });
      return [(body.data as IDataObject | undefined) ?? contentOf(body)];
    },
    async getAll(node, itemIndex) {
      const filters = filled(fieldsOf(node, "filters", itemIndex));
      return listPages(node, itemIndex, "/short-links", filters);
    },
  },
};
