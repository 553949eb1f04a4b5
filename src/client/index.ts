import createClient, { type Client } from "openapi-fetch";
import type { components, operations, paths } from "./.generated/api.ts";

export type { components, operations, paths };

/** The objects of the API by name, such as `Schemas["Upload"]`. */
export type Schemas = components["schemas"];

/** A client with a method for each of HTTP's, which take a path of the API and what belongs to it. */
export type Akimbo = Client<paths>;

export interface AkimboOptions {
  /** The address of the instance, such as https://akimbo.example.workers.dev. */
  url: string;
  /** A token of the API: kmb_ and 64 hexadecimal digits. */
  token: string;
  /** Makes the calls in the place of the global fetch. */
  fetch?: (request: Request) => Promise<Response>;
}

/**
 * Creates a client of an instance. Each call answers `data`, or `error` as the API tells it, beside `response`.
 *
 * @example
 * const akimbo = createAkimbo({ url, token });
 * const { data, error } = await akimbo.GET("/api/v1/accounts");
 */
export function createAkimbo({ url, token, fetch }: AkimboOptions): Akimbo {
  const headers = { "x-api-key": token };
  return createClient<paths>({ baseUrl: url, headers, ...(fetch ? { fetch } : {}) });
}

/**
 * Makes the form of an operation that takes files: pass it to the call as `bodySerializer`. A list becomes a field
 * that is repeated, and what is undefined is left out.
 */
export function toForm(fields: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) {
      if (one instanceof File) form.append(name, one, one.name);
      else if (one instanceof Blob) form.append(name, one, "file");
      else if (one !== undefined && one !== null) form.append(name, String(one));
    }
  }
  return form;
}
