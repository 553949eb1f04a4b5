import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { readBody } from "./http.ts";

export interface Page {
  status: number;
  location: string;
  text: string;
}

interface Visit {
  method?: string;
  json?: object;
  headers?: Record<string, string>;
}

/** The API of the server's own pages. Source: @atproto/oauth-provider-api, constants. */
const API = "/@atproto/oauth-provider/~api";

/** A person's browser at the pages of a server that grants access, which it makes the calls of. */
export class OAuthBrowser {
  /** Real origin → the one that answers for it. */
  readonly #origins: Record<string, string>;
  /** Cookies of each host. */
  readonly #cookies = new Map<string, Map<string, string>>();

  constructor(origins: Record<string, string>) {
    this.#origins = origins;
  }

  /** Opens an address, as a person who follows a link does. */
  open(address: string, from: "same-origin" | "cross-site" = "cross-site", referer?: string) {
    return this.#send(address, {
      headers: {
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "document",
        "sec-fetch-site": from,
        ...(referer ? { referer } : {}),
      },
    });
  }

  /** Sends the form of the page at this address, which has a button alone. */
  goOn(address: string) {
    return this.#send(address, {
      method: "POST",
      headers: { "sec-fetch-mode": "navigate", "sec-fetch-site": "same-origin" },
    });
  }

  /** Calls the API of the server's pages, as the page at `referer` does; the parsed answer. */
  async callApi<T>(referer: string, path: string, json?: object): Promise<T> {
    const { origin, hostname } = new URL(referer);
    const page = await this.#send(`${origin}${API}${path}`, {
      method: json ? "POST" : "GET",
      json,
      headers: {
        origin,
        referer,
        "sec-fetch-mode": "same-origin",
        "sec-fetch-dest": "empty",
        "sec-fetch-site": "same-origin",
        "x-csrf-token": this.#cookies.get(hostname)?.get("csrf-token") ?? "",
      },
    });
    if (page.status === 200) return JSON.parse(page.text) as T;
    throw new Error(`The server's page answered ${path} with ${page.status}: ${page.text}`);
  }

  async #send(address: string, { method = "GET", json, headers = {} }: Visit): Promise<Page> {
    const url = new URL(address);
    const replaced = address.replace(url.origin, this.#origins[url.origin] ?? url.origin);
    const cookies = this.#cookies.get(url.hostname) ?? new Map<string, string>();
    this.#cookies.set(url.hostname, cookies);
    const call = request(replaced, {
      method,
      headers: {
        ...headers,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(json ? { "content-type": "application/json" } : {}),
      },
    });
    call.end(json && JSON.stringify(json));
    const [response] = (await once(call, "response")) as [IncomingMessage];
    for (const cookie of response.headers["set-cookie"] ?? []) {
      const [pair = ""] = cookie.split(";");
      const at = pair.indexOf("=");
      cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return {
      status: response.statusCode ?? 0,
      location: response.headers.location ?? "",
      text: (await readBody(response)).toString(),
    };
  }
}
