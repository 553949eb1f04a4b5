import type { IDataObject } from "n8n-workflow";
import { limitFields, showFor } from "../shared/descriptions.ts";
import { storeBinary } from "../shared/files.ts";
import { fieldsOf, filled, type Resource, textOf } from "../shared/operation.ts";
import { listPages } from "../shared/pages.ts";
import { callApi } from "../shared/transport.ts";

export const media: Resource = {
  properties: [
    {
      displayName: "Operation",
      name: "operation",
      type: "options",
      noDataExpression: true,
      displayOptions: showFor("media"),
      options: [
        {
          name: "Delete",
          value: "delete",
          action: "Delete media",
          description: "Delete a stored file",
        },
        {
          name: "Get",
          value: "get",
          action: "Get media",
          description: "Retrieve a stored file and the posts that have it",
        },
        {
          name: "Get Many",
          value: "getAll",
          action: "Get many media",
          description: "Retrieve a list of stored files",
        },
        {
          name: "Upload",
          value: "upload",
          action: "Upload media",
          description: "Store a file of the input item, for posts and pool items to name",
        },
      ],
      default: "upload",
    },
    {
      displayName: "Input Binary Field",
      name: "binaryField",
      type: "string",
      default: "data",
      required: true,
      displayOptions: showFor("media", "upload"),
      hint: "The name of the input field that holds the file",
    },
    {
      displayName: "Additional Fields",
      name: "additionalFields",
      type: "collection",
      placeholder: "Add Field",
      default: {},
      displayOptions: showFor("media", "upload"),
      options: [
        {
          displayName: "Keep",
          name: "keep",
          type: "boolean",
          default: true,
          description: "Whether the file is kept until it is deleted",
        },
        {
          displayName: "Name",
          name: "name",
          type: "string",
          default: "",
          description: "Name of the file in Akimbo, in place of its own",
        },
      ],
    },
    {
      displayName: "Media ID",
      name: "mediaId",
      type: "string",
      default: "",
      required: true,
      displayOptions: showFor("media", "get", "delete"),
    },
    ...limitFields(showFor("media", "getAll")),
    {
      displayName: "Filters",
      name: "filters",
      type: "collection",
      placeholder: "Add Filter",
      default: {},
      displayOptions: showFor("media", "getAll"),
      options: [
        {
          displayName: "Kind",
          name: "kind",
          type: "options",
          options: [
            { name: "Document", value: "document" },
            { name: "Image", value: "image" },
            { name: "Video", value: "video" },
          ],
          default: "image",
        },
        {
          displayName: "Search",
          name: "search",
          type: "string",
          default: "",
          description: "Text in the name of the file",
        },
      ],
    },
  ],
  operations: {
    async upload(node, itemIndex) {
      const field = textOf(node, "binaryField", itemIndex);
      const options = fieldsOf(node, "additionalFields", itemIndex);
      return [await storeBinary(node, itemIndex, field, options)];
    },
    async get(node, itemIndex) {
      const id = encodeURIComponent(textOf(node, "mediaId", itemIndex));
      const { data } = await callApi(node, { method: "GET", path: `/media/${id}`, itemIndex });
      return [data as IDataObject];
    },
    async getAll(node, itemIndex) {
      const filters = filled(fieldsOf(node, "filters", itemIndex));
      return listPages(node, itemIndex, "/media", filters);
    },
    async delete(node, itemIndex) {
      const id = encodeURIComponent(textOf(node, "mediaId", itemIndex));
      await callApi(node, { method: "DELETE", path: `/media/${id}`, itemIndex });
      return [{ deleted: true }];
    },
  },
};
