import createClient, { type Client } from "openapi-fetch";
import type { components, operations, paths } from "./.generated/api.ts";

export type { components, operations, paths };

/** API objects, such as `Schemas["Upload"]`. */
export type Schemas = components["schemas"];

export type Akimbo = Client<paths>;

export interface AkimboOptions {
  /** Such as https://akimbo.example.workers.dev. */
  url: string;
  /** kmb_ and 64 hexadecimal digits. */
  token: string;
  /** Used instead of the global fetch. */
  fetch?: (request: Request) => Promise<Response>;
}

/**
 * Creates a client of an instance. Each call returns the `response`, and either `data` or the API's `error`.
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
 * Makes the form of an operation that takes files: pass this function to the call as `bodySerializer`. A list becomes a
 * repeated field, and fields that are undefined or null are left out.
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
