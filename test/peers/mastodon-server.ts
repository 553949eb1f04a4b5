import assert from "node:assert/strict";

interface Attachment {
  id: string;
  type: string;
  description: string | null;
}

export interface Status {
  id: string;
  url: string | null;
  content: string;
  visibility: string;
  spoiler_text: string;
  sensitive: boolean;
  language: string | null;
  in_reply_to_id: string | null;
  media_attachments: Attachment[];
  favourites_count: number;
  poll: { multiple: boolean; options: { title: string }[] } | null;
}

export interface Person {
  id: string;
  username: string;
  display_name: string;
  followers_count: number;
}

export interface Configuration {
  statuses: {
    max_characters: number;
    max_media_attachments: number;
    characters_reserved_per_url: number;
  };
  media_attachments: {
    supported_mime_types: string[];
    image_size_limit: number;
    video_size_limit: number;
    description_limit?: number;
  };
  polls?: {
    max_options: number;
    max_characters_per_option: number;
    min_expiration: number;
    max_expiration: number;
  };
}

/** A server of Mastodon's API itself, asked without Akimbo. */
export interface MastodonServer {
  origin: string;
  token: string;
  readPerson(): Promise<Person>;
  readConfiguration(): Promise<Configuration>;
  /** Null when it is gone. */
  findStatus(id: string): Promise<Status | null>;
  getStatus(id: string): Promise<Status>;
  /** The text as it was written. */
  readText(id: string): Promise<string>;
  /** All posts of the person, the latest first. */
  listStatuses(): Promise<Status[]>;
  /** Does nothing where the token may not. */
  favourite(id: string): Promise<void>;
}

const PAGE = 40;
/** Posts that are read twice: some servers order by time, and page by id. */
const OVERLAP = 5;

export function mastodonServer(origin: string, token: string): MastodonServer {
  const send = (path: string, method = "GET"): Promise<Response> =>
    fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${token}`, accept: "application/json" },
    });

  async function read<T>(path: string): Promise<T> {
    const response = await send(path);
    if (response.ok) return (await response.json()) as T;
    throw new Error(`The server answered ${path} with ${response.status}.`);
  }

  const readPerson = () => read<Person>("/api/v1/accounts/verify_credentials");

  async function findStatus(id: string): Promise<Status | null> {
    const response = await send(`/api/v1/statuses/${id}`);
    if (response.status === 404) return null;
    assert.equal(response.status, 200);
    return (await response.json()) as Status;
  }

  return {
    origin,
    token,
    readPerson,
    readConfiguration: async () =>
      (await read<{ configuration: Configuration }>("/api/v2/instance")).configuration,
    findStatus,
    getStatus: async (id) => {
      const status = await findStatus(id);
      assert.ok(status, `The server has no post ${id}.`);
      return status;
    },
    readText: async (id) => (await read<{ text: string }>(`/api/v1/statuses/${id}/source`)).text,
    listStatuses: async () => {
      const { id } = await readPerson();
      const found = new Map<string, Status>();
      for (let page: Status[] = []; ; ) {
        const query = new URLSearchParams({ limit: String(PAGE) });
        const from = page.at(-OVERLAP) ?? page.at(-1);
        if (from) query.set("max_id", from.id);
        page = await read<Status[]>(`/api/v1/accounts/${id}/statuses?${query}`);
        if (page.every((status) => found.has(status.id))) return [...found.values()];
        for (const status of page) found.set(status.id, status);
      }
    },
    favourite: async (id) => {
      await send(`/api/v1/statuses/${id}/favourite`, "POST");
    },
  };
}

/** The text of a post without its tags. */
export const shownText = ({ content }: Status): string =>
  content
    .replace(/<[^>]*>/g, "")
    .replaceAll("&#39;", "'")
    .trim();
