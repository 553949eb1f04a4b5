import { join } from "node:path";

// Bluesky's own code, for what a stand-in of theirs must not decide by our reading of it. It is
// installed with the PDS, which the main install and its type check know nothing of.

const LEXICONS = "node_modules/@atproto/pds/dist/lexicons/app/bsky/video.js";

export interface Claims {
  iss: string;
  aud: string;
  exp: number;
  lxm?: string;
}

interface XrpcServer {
  /** @throws Error in the words for the caller */
  verifyJwt(
    token: string,
    audience: string,
    method: string,
    findSigningKey: (did: string) => Promise<string>,
  ): Promise<Claims>;
}

interface LexJson {
  jsonToLex(json: unknown): unknown;
}

interface Schema {
  safeParse(value: unknown): { success: boolean; message?: string };
}

/** One method of an API, as its lexicon defines it. */
interface Method {
  parameters: Schema & { fromURLSearchParams(query: URLSearchParams): unknown };
  input?: { encoding?: string; schema?: Schema };
  output: { schema: Schema };
}

export interface Atproto {
  verifyJwt: XrpcServer["verifyJwt"];
  /** Returns how a call breaks the lexicon of its video method, or null. */
  findCallProblem(method: string, call: ReceivedCall): string | null;
  /** Returns how a reply breaks the lexicon of its video method, or null. */
  findReplyProblem(method: string, reply: unknown): string | null;
}

interface ReceivedCall {
  query: URLSearchParams;
  /** Null without a body. */
  contentType: string | null;
  /** Null when it is no JSON. */
  json: unknown;
}

interface StrongRef {
  uri: string;
  cid: string;
}

export interface ReadPost extends StrongRef {
  record: {
    text: string;
    reply?: { root: StrongRef; parent: StrongRef };
    embed?: { images?: { image: { ref: { toString(): string } } }[] };
  };
}

interface ApiClient {
  AtpAgent: new (options: {
    service: string;
  }) => {
    com: {
      atproto: {
        repo: {
          listRecords(query: { repo: string; collection: string; limit: number }): Promise<{
            data: { records: (StrongRef & { value: ReadPost["record"] })[] };
          }>;
        };
      };
    };
  };
  AppBskyFeedPost: { validateRecord(record: unknown): { success: boolean; error?: Error } };
}

/** Reads a person's latest posts through Bluesky's client, which holds each against its lexicon. */
export async function loadPostReader(): Promise<
  (service: string, repo: string) => Promise<ReadPost[]>
> {
  const { AtpAgent, AppBskyFeedPost } = await load<ApiClient>("@atproto/api");
  return async (service, repo) => {
    const collection = "app.bsky.feed.post";
    const { data } = await new AtpAgent({ service }).com.atproto.repo.listRecords({
      repo,
      collection,
      limit: 100,
    });
    return data.records.map(({ uri, cid, value: record }) => {
      const { success, error } = AppBskyFeedPost.validateRecord(record);
      if (!success) throw new Error(`${uri} breaks the lexicon: ${error?.message}`);
      return { uri, cid, record };
    });
  };
}

const load = async <T>(name: string): Promise<T> => (await import(name)) as T;

export async function loadAtproto(): Promise<Atproto> {
  const { verifyJwt } = await load<XrpcServer>("@atproto/xrpc-server");
  const { jsonToLex } = await load<LexJson>("@atproto/lex-json");
  const lexicons = await load<Record<string, { main: Method }>>(
    join(import.meta.dirname, LEXICONS),
  );

  function findMethod(name: string): Method {
    const method = lexicons[name]?.main;
    if (!method) throw new Error(`Bluesky has no lexicon of app.bsky.video.${name}.`);
    return method;
  }

  return {
    verifyJwt,
    findCallProblem: (name, { query, contentType, json }) => {
      const { parameters, input } = findMethod(name);
      const encoding = input?.encoding ?? null;
      if (contentType !== encoding) return `Content-Type ${contentType}, expected ${encoding}`;
      return (
        problemOf(parameters, parameters.fromURLSearchParams(query)) ??
        (input?.schema ? problemOf(input.schema, jsonToLex(json)) : null)
      );
    },
    findReplyProblem: (name, reply) => problemOf(findMethod(name).output.schema, jsonToLex(reply)),
  };
}

function problemOf(schema: Schema, value: unknown): string | null {
  const { success, message } = schema.safeParse(value);
  return success ? null : (message ?? "It cannot be read.");
}
