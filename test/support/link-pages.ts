import { expect } from "vitest";
import type { Harness } from "./harness.ts";
import type { Browser } from "./person.ts";

const LIST = "/app/short-links";

/** Short links of a person: made on the dashboard, read and changed through the API. */
export class LinkPages {
  readonly #harness: Harness;
  readonly #browser: Browser;
  readonly #token: string;

  constructor(harness: Harness, browser: Browser, token: string) {
    this.#harness = harness;
    this.#browser = browser;
    this.#token = token;
  }

  /** Answers the path of the new link's page. */
  async make(fields: Record<string, string> = {}): Promise<string> {
    const sent = { url: "https://example.com/", ...fields };
    const { status, location, html } = await this.#browser.post(LIST, sent);
    if (status !== 303) throw new Error(html);
    return (location ?? "").replace("?done=created", "");
  }

  async read(path: string) {
    const { body } = await this.#harness.call("GET", wirePath(path), { token: this.#token });
    return body;
  }

  async give(path: string, json: object): Promise<void> {
    const sent = { token: this.#token, json };
    const { status, body } = await this.#harness.call("PUT", wirePath(path), sent);
    expect(status, JSON.stringify(body)).toBe(200);
  }
}

const wirePath = (path: string): string => `/short-links/${path.replace(`${LIST}/`, "")}`;
