import type { IDataObject } from "n8n-workflow";
import { accountLocator, showFor, simplifyField } from "../shared/descriptions.ts";
import { fieldsOf, filled, type Resource, textOf } from "../shared/operation.ts";
import { type ApiCall, callApi } from "../shared/transport.ts";

type Reading = Parameters<Resource["operations"][string]>;

async function read([node, itemIndex]: Reading, call: Pick<ApiCall, "method" | "path">) {
  const query = filled(fieldsOf(node, "options", itemIndex));
  const { data } = await callApi(node, { ...call, query, itemIndex });
  const figures = data as IDataObject;
  if (!node.getNodeParameter("simplify", itemIndex)) return [figures];
  const { overview, summary, topHashtags, lastRefreshedAt, neverSynced, syncErrors } = figures;
  const totals = overview as IDataObject;
  return [{ ...totals, summary, topHashtags, lastRefreshedAt, neverSynced, syncErrors }];
}

const pathOf = ([node, itemIndex]: Reading): string =>
  `/analytics/${encodeURIComponent(textOf(node, "accountId", itemIndex))}`;

export const analytics: Resource = {
  properties: [
    {
      displayName: "Operation",
      name: "operation",
      type: "options",
      noDataExpression: true,
      displayOptions: showFor("analytics"),
      options: [
        {
          name: "Get Account",
          value: "getAccount",
          action: "Get analytics of account",
          description: "Retrieve the stored figures of one account",
        },
        {
          name: "Get Overview",
          value: "getOverview",
          action: "Get analytics overview",
          description: "Retrieve the stored figures of all accounts",
        },
        {
          name: "Refresh Account",
          value: "refreshAccount",
          action: "Refresh analytics of account",
          description: "Read the figures of one account at its platform now",
        },
      ],
      default: "getOverview",
    },
    accountLocator(showFor("analytics", "getAccount", "refreshAccount")),
    simplifyField(showFor("analytics")),
    {
      displayName: "Options",
      name: "options",
      type: "collection",
      placeholder: "Add Option",
      default: {},
      displayOptions: showFor("analytics"),
      options: [
        {
          displayName: "Source",
          name: "source",
          type: "options",
          options: [
            { name: "Akimbo", value: "mut", description: "Posts that Akimbo published" },
            { name: "All", value: "all" },
            { name: "Elsewhere", value: "external", description: "Posts made in other ways" },
          ],
          default: "all",
          description: "Which posts are listed. Totals always have all of them.",
        },
        {
          displayName: "Tags",
          name: "tags",
          type: "string",
          default: "",
          description: "Accounts with one of these tags, separated by commas. For the overview.",
        },
        {
          displayName: "Time Zone",
          name: "timezone",
          type: "string",
          default: "",
          placeholder: "e.g. Europe/Berlin",
          description: "Time zone of weekdays and hours",
        },
      ],
    },
  ],
  operations: {
    getOverview: (...reading) => read(reading, { method: "GET", path: "/analytics/overview" }),
    getAccount: (...reading) => read(reading, { method: "GET", path: pathOf(reading) }),
    refreshAccount: (...reading) =>
      read(reading, { method: "POST", path: `${pathOf(reading)}/sync` }),
  },
};
