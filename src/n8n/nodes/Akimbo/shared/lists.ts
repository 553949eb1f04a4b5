import type {
  IDataObject,
  ILoadOptionsFunctions,
  INodeListSearchItems,
  INodeListSearchResult,
  INodePropertyOptions,
} from "n8n-workflow";
import { callApi } from "./transport.ts";

const has = (name: string, filter = ""): boolean =>
  name.toLowerCase().includes(filter.toLowerCase());

async function readAccounts(caller: ILoadOptionsFunctions): Promise<INodeListSearchItems[]> {
  const { data } = await callApi(caller, { method: "GET", path: "/accounts" });
  return (data as IDataObject[]).map(({ id, platform, accountName, status }) => ({
    name: `${accountName} (${platform}${status === "active" ? "" : `, ${status}`})`,
    value: String(id),
  }));
}

export async function getAccounts(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  return readAccounts(this);
}

export async function searchAccounts(
  this: ILoadOptionsFunctions,
  filter?: string,
): Promise<INodeListSearchResult> {
  const accounts = await readAccounts(this);
  return { results: accounts.filter(({ name }) => has(name, filter)) };
}

export async function searchPools(
  this: ILoadOptionsFunctions,
  filter?: string,
): Promise<INodeListSearchResult> {
  const { pools } = await callApi(this, { method: "GET", path: "/pools" });
  const results = (pools as IDataObject[])
    .map(({ id, name }) => ({ name: String(name), value: String(id) }))
    .filter(({ name }) => has(name, filter));
  return { results };
}
