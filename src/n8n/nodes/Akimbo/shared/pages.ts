import type { IDataObject, IExecuteFunctions } from "n8n-workflow";
import { callApi } from "./transport.ts";

const PAGE_SIZE = 100;

/** Reads a list page by page, until it ends or has as many entries as the parameters of the node ask for. */
export async function listPages(
  node: IExecuteFunctions,
  itemIndex: number,
  path: string,
  filters: IDataObject,
): Promise<IDataObject[]> {
  const returnAll = node.getNodeParameter("returnAll", itemIndex) as boolean;
  const max = returnAll
    ? Number.POSITIVE_INFINITY
    : (node.getNodeParameter("limit", itemIndex) as number);
  const limit = Math.min(PAGE_SIZE, max);
  const entries: IDataObject[] = [];
  for (let page = 1; entries.length < max; page++) {
    const query = { ...filters, page, limit };
    const { data } = await callApi(node, { method: "GET", path, query, itemIndex });
    const found = data as IDataObject[];
    entries.push(...found);
    if (found.length < limit) break;
  }
  return entries.slice(0, max);
}
