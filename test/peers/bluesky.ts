import { once } from "node:events";
import { join } from "node:path";
import { spawnGroup } from "../../src/cli/process-group.ts";
import { Problem } from "../../src/cli/program.ts";

const POSTS = "app.bsky.feed.post";

export interface Facet {
  index: { byteStart: number; byteEnd: number };
  features: Record<string, string>[];
}

export interface BlobRef {
  $type: string;
  ref: { $link: string };
  mimeType: string;
  size: number;
}

interface Described {
  alt?: string;
  aspectRatio?: { width: number; height: number };
}

interface ImagesEmbed {
  $type: "app.bsky.embed.images";
  images: (Described & { image: BlobRef })[];
}

export interface VideoEmbed extends Described {
  $type: "app.bsky.embed.video";
  video: BlobRef;
}

export interface PostRecord {
  text: string;
  createdAt: string;
  langs?: string[];
  labels?: unknown;
  facets?: Facet[];
  embed?: ImagesEmbed | VideoEmbed;
}

export interface Person {
  did: string;
  handle: string;
  password: string;
  appPassword: string;
}

interface XrpcAnswer<T> {
  status: number;
  body: T;
}

/** The PDS itself, asked without Akimbo. */
export interface Pds {
  origin: string;
  /** The origin of the directory that its accounts' DIDs are registered in. */
  directory: string;
  /** From now on `replacement` answers what the PDS asks of the origin. */
  replaceOrigin(origin: string, replacement: string): void;
  call<T>(nsid: string, call: XrpcCall): Promise<XrpcAnswer<T>>;
  createPerson(handle: string): Promise<Person>;
  /** The record at an `at://` address. */
  getPost(uri: string): Promise<PostRecord>;
  /** Up to 100, the latest first. */
  listPosts(did: string): Promise<PostRecord[]>;
  getBlob(did: string, cid: string): Promise<Buffer>;
}

type Addresses = Pick<Pds, "origin" | "directory">;

interface XrpcCall {
  query?: Record<string, string>;
  token?: string;
  /** Default: POST with a body, else GET. */
  method?: string;
  body?: object;
}

/**
 * Starts PLC and PDS, with their files in `folder`; they end together with this program.
 *
 * @param host the PDS believes to be https there; else it is what it is, http on this machine
 */
export async function startPds(folder: string, jwtSecret: string, host?: string): Promise<Pds> {
  const program = join(import.meta.dirname, "pds.mjs");
  const child = spawnGroup(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", program, folder, ...(host ? [host] : [])],
    {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...process.env, PDS_JWT_SECRET: jwtSecret },
    },
  );
  const addresses = await Promise.race([
    once(child, "message").then(([message]) => message as Addresses),
    once(child, "exit").then(() => null),
  ]);
  if (addresses === null) throw new Problem("The Bluesky server could not be started.");
  return createPds(addresses, (replaced) => child.send(replaced));
}

function createPds(
  { origin, directory }: Addresses,
  replaceOrigins: (replaced: Record<string, string>) => void,
): Pds {
  function send(nsid: string, { query = {}, token, method, body }: XrpcCall): Promise<Response> {
    const headers = new Headers(token ? { authorization: `Bearer ${token}` } : {});
    if (body) headers.set("content-type", "application/json");
    return fetch(`${origin}/xrpc/${nsid}?${new URLSearchParams(query)}`, {
      method: method ?? (body ? "POST" : "GET"),
      headers,
      body: body && JSON.stringify(body),
    });
  }

  async function call<T>(nsid: string, request: XrpcCall): Promise<XrpcAnswer<T>> {
    const response = await send(nsid, request);
    return { status: response.status, body: (await response.json()) as T };
  }

  async function require<T>(nsid: string, request: XrpcCall): Promise<T> {
    const { status, body } = await call<T>(nsid, request);
    if (status === 200) return body;
    throw new Error(`The PDS answered ${nsid} with ${status}: ${JSON.stringify(body)}`);
  }

  return {
    origin,
    directory,
    replaceOrigin: (replaced, replacement) => replaceOrigins({ [replaced]: replacement }),
    call,
    createPerson: async (handle) => {
      const password = crypto.randomUUID();
      const account = await require<{
        did: string;
        accessJwt: string;
      }>("com.atproto.server.createAccount", {
        body: { handle, email: `${handle}@example.com`, password },
      });
      const created = await require<{ password: string }>("com.atproto.server.createAppPassword", {
        token: account.accessJwt,
        body: { name: "Akimbo" },
      });
      return { did: account.did, handle, password, appPassword: created.password };
    },
    getPost: async (uri) => {
      const [repo = "", collection = "", rkey = ""] = uri.replace("at://", "").split("/");
      const found = await require<{ value: PostRecord }>("com.atproto.repo.getRecord", {
        query: { repo, collection, rkey },
      });
      return found.value;
    },
    listPosts: async (did) => {
      const page = await require<{
        records: { value: PostRecord }[];
      }>("com.atproto.repo.listRecords", { query: { repo: did, collection: POSTS, limit: "100" } });
      return page.records.map(({ value }) => value);
    },
    getBlob: async (did, cid) => {
      const response = await send("com.atproto.sync.getBlob", { query: { did, cid } });
      if (!response.ok) throw new Error(`The PDS has no blob ${cid}: ${await response.text()}`);
      return Buffer.from(await response.arrayBuffer());
    },
  };
}
