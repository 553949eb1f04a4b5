import assert from "node:assert/strict";
import { runInstalled } from "./programs.ts";
import { createTally, type Tally } from "./suite.ts";

const INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";

/** Revisions that say all about themselves in every message. */
const WITHOUT_HANDSHAKE = "2026-07-28";
const DIALECT = "https://json-schema.org/draft/2020-12/schema";

interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: Schema;
  outputSchema: Schema;
  annotations: Record<string, boolean>;
}

type Schema = Record<string, unknown>;

interface Result {
  isError?: boolean;
  content: { type: string; text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: a check reads whatever the tool tells
  structuredContent?: any;
}

/** The part of the official client that is used. */
interface Client {
  connect(transport: object): Promise<void>;
  listTools(): Promise<{ tools: Tool[] }>;
  callTool(call: { name: string; arguments: object }): Promise<Result>;
  close(): Promise<void>;
}

/** Has the official client, the inspector and a strict validator look at the tools; prints what each found. */
export async function inspect(revision: string, url: string, folder: string): Promise<Tally> {
  const client = await connect(revision, url);
  const { tools } = await client.listTools();
  const { tally, check } = createTally();
  const isValid = await createValidator();
  for (const tool of tools) {
    await check(`${tool.name}: its schemas are sound, and every argument has a type`, () => {
      for (const schema of [tool.inputSchema, tool.outputSchema]) {
        assert.equal(schema.$schema ?? DIALECT, DIALECT);
        isValid(schema);
      }
      assert.deepEqual(untyped(tool.inputSchema), []);
    });
  }
  await check("the inspector finds no fault in any schema, in strict mode", async () => {
    const era = revision === WITHOUT_HANDSHAKE ? "modern" : "legacy";
    const on = ["--transport", "http", "--protocol-era", era, "--method", "tools/list", "--strict"];
    const { code, complaints } = await runInstalled(INSPECTOR, ["--cli", url, ...on], folder);
    assert.deepEqual([code, complaints.trim()], [0, ""]);
  });
  await check("a session of the official client, every tool called, every result validated", () =>
    walk(client),
  );
  await client.close();
  return tally;
}

/** Has the official client speak that revision alone. */
export const optionsFor = (revision: string): object =>
  revision === WITHOUT_HANDSHAKE
    ? { versionNegotiation: { mode: { pin: revision } } }
    : { supportedProtocolVersions: [revision] };

async function connect(revision: string, url: string): Promise<Client> {
  const { Client, StreamableHTTPClientTransport } = (await import(
    "@modelcontextprotocol/client" as string
  )) as {
    Client: new (info: object, options: object) => Client;
    StreamableHTTPClientTransport: new (url: URL) => object;
  };
  const client = new Client({ name: "akimbo-inspector", version: "1.0.0" }, optionsFor(revision));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

/** Throws for a schema that has a mistake, or a keyword that nobody knows. */
async function createValidator(): Promise<(schema: Schema) => void> {
  const { Ajv2020 } = (await import("ajv/dist/2020.js" as string)) as {
    Ajv2020: new (options: object) => { compile(schema: Schema): unknown };
  };
  const { default: addFormats } = await import("ajv-formats" as string);
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  addFormats(ajv);
  return (schema) => void ajv.compile(schema);
}

/** The arguments of which nothing is said about what they may be. */
const untyped = ({ properties = {} }: Schema): string[] =>
  Object.entries(properties as Record<string, Schema>)
    .filter(([, own]) => !own.type && !own.enum && !own.anyOf)
    .map(([name]) => name);

/** Does with the tools what an agent would do. */
async function walk(client: Client): Promise<void> {
  // biome-ignore lint/suspicious/noExplicitAny: as in `Result`
  const call = async (name: string, args: object): Promise<any> => {
    const { isError, content, structuredContent } = await client.callTool({
      name,
      arguments: args,
    });
    assert.ok(!isError, `${name}: ${content[0]?.text}`);
    assert.deepEqual(JSON.parse(content[0]?.text ?? ""), structuredContent, name);
    return structuredContent;
  };
  const { accounts } = await call("list_accounts", { platform: "bluesky" });
  const accountIds = [accounts[0].id];
  for (const platform of ["tiktok", "pinterest"]) {
    await call("get_platform_capabilities", { platform });
  }
  const text = `An inspector's words, ${Math.random()}`;
  const { hashtags } = await call("suggest_hashtags", { text, platform: "bluesky" });
  assert.ok(hashtags.length > 0);
  const { valid } = await call("validate_post", { accountIds, text });
  assert.equal(valid, true);
  const { posts } = await call("create_post", { accountIds, text, status: "draft" });
  const { postId } = posts[0];
  assert.equal((await call("get_post_status", { postId })).state, "draft");
  await call("list_recent_posts", { limit: 5 });
  const { url } = await call("create_review_link", { postIds: [postId] });
  assert.match(url, /\/review\//);
  const unknown = await client.callTool({
    name: "get_post_status",
    arguments: { postId: 999_999 },
  });
  assert.equal(unknown.isError, true);
}
