import type { IDataObject } from "n8n-workflow";
import {
  FILE_FIELDS,
  FOLLOW_UP_FIELDS,
  limitFields,
  poolLocator,
  SETTINGS_FIELDS,
  showFor,
} from "../shared/descriptions.ts";
import { appendFiles, readSettings, textsIn } from "../shared/files.ts";
import { fieldsOf, filled, type Resource, textOf } from "../shared/operation.ts";
import { callApi, keyOf } from "../shared/transport.ts";

const PAGE_SIZE = 1000;

export const poolItem: Resource = {
  properties: [
    {
      displayName: "Operation",
      name: "operation",
      type: "options",
      noDataExpression: true,
      displayOptions: showFor("poolItem"),
      options: [
        {
          name: "Create",
          value: "create",
          action: "Create pool item",
          description: "Add an item to the end of the queue of a pool",
        },
        {
          name: "Delete",
          value: "delete",
          action: "Delete pool item",
          description: "Remove an item that is not published yet",
        },
        {
          name: "Get Many",
          value: "getAll",
          action: "Get many pool items",
          description: "Retrieve a list of items of a pool",
        },
      ],
      default: "create",
    },
    poolLocator(showFor("poolItem")),
    {
      displayName: "Title",
      name: "title",
      type: "string",
      default: "",
      required: true,
      displayOptions: showFor("poolItem", "create"),
      description: "Title of each post, and its text on Instagram, Threads, TikTok and X",
    },
    {
      displayName: "Item ID",
      name: "itemId",
      type: "string",
      default: "",
      required: true,
      displayOptions: showFor("poolItem", "delete"),
    },
    {
      displayName: "Additional Fields",
      name: "additionalFields",
      type: "collection",
      placeholder: "Add Field",
      default: {},
      displayOptions: showFor("poolItem", "create"),
      options: [
        {
          displayName: "Description",
          name: "description",
          type: "string",
          typeOptions: { rows: 4 },
          default: "",
          description: "Text of each post on the other platforms",
        },
        ...FILE_FIELDS,
        ...FOLLOW_UP_FIELDS,
        ...SETTINGS_FIELDS,
      ],
    },
    ...limitFields(showFor("poolItem", "getAll")),
    {
      displayName: "Filters",
      name: "filters",
      type: "collection",
      placeholder: "Add Filter",
      default: {},
      displayOptions: showFor("poolItem", "getAll"),
      options: [
        {
          displayName: "Status",
          name: "status",
          type: "options",
          options: [
            { name: "Dispatched", value: "dispatched" },
            { name: "Queued", value: "queued" },
            { name: "Skipped", value: "skipped" },
          ],
          default: "queued",
        },
      ],
    },
  ],
  operations: {
    async create(node, itemIndex) {
      const fields = fieldsOf(node, "additionalFields", itemIndex);
      const form = new FormData();
      form.append("title", textOf(node, "title", itemIndex));
      if (fields.description) form.append("description", String(fields.description));
      const settings = readSettings(node, itemIndex, fields);
      if (Object.keys(settings).length > 0) form.append("metadata", JSON.stringify(settings));
      const thread = textsIn(fields.thread);
      if (thread.length > 0) form.append("thread", JSON.stringify(thread));
      if (fields.firstComment) form.append("first_comment", String(fields.firstComment));
      await appendFiles(node, itemIndex, form, fields);
      const poolId = textOf(node, "poolId", itemIndex);
      const { items } = await callApi(node, {
        method: "POST",
        path: `/pools/${encodeURIComponent(poolId)}/videos`,
        form,
        idempotencyKey: keyOf(node, itemIndex, poolId),
        itemIndex,
      });
      return (items as IDataObject[]).map((item) => ({ poolId, ...item }));
    },
    async delete(node, itemIndex) {
      const poolId = encodeURIComponent(textOf(node, "poolId", itemIndex));
      const itemId = encodeURIComponent(textOf(node, "itemId", itemIndex));
      const path = `/pools/${poolId}/videos/${itemId}`;
      await callApi(node, { method: "DELETE", path, itemIndex });
      return [{ deleted: true }];
    },
    async getAll(node, itemIndex) {
      const poolId = encodeURIComponent(textOf(node, "poolId", itemIndex));
      const filters = filled(fieldsOf(node, "filters", itemIndex));
      const max = node.getNodeParameter("returnAll", itemIndex)
        ? Number.POSITIVE_INFINITY
        : (node.getNodeParameter("limit", itemIndex) as number);
      const items: IDataObject[] = [];
      let after: unknown = 0;
      while (after !== null && items.length < max) {
        const page = await callApi(node, {
          method: "GET",
          path: `/pools/${poolId}/videos`,
          query: { ...filters, after: Number(after), limit: Math.min(PAGE_SIZE, max) },
          itemIndex,
        });
        items.push(...(page.items as IDataObject[]));
        after = page.nextAfter ?? null;
      }
      return items.slice(0, max);
    },
  },
};
