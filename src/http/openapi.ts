import type { OpenAPIHono } from "@hono/zod-openapi";
import { SCOPE_WORDS } from "../core/scope-words.ts";
import { SCOPES } from "../core/scopes.ts";
import { ADDING_CLIENTS, describeClients } from "./agent-clients.ts";
import { registerSharedParts } from "./answers.ts";
import { type AppEnv, publicOrigin } from "./env.ts";

/** Source: spec, "Versioning". */
const INTERFACE_VERSION = "1.0.0";

const TAGS = {
  Uploads: "Posts: publish, plan, edit, retry, cancel, and read their outcome.",
  Media: "The team's files: list, keep, rename and remove them, and add files without a post.",
  Calendar: "Posts and firings of pools by day, and feeds of them for other calendars.",
  "Large files": "Files that go straight to storage, up to 10 GiB.",
  Accounts: "The connected accounts that posts go to.",
  "White-label": "Links by which your clients connect their accounts to your team.",
  Platforms: "The platforms and their limits.",
  Credits: "Credits that pay for posts on X.",
  Teams: "Your team, its members and invites.",
  Tokens: "API tokens of your own.",
  Settings: "Settings of the team, and of each person in it.",
  Pools: "Queues of media, and the recurring slots that publish from them.",
  Webhooks: "Signed events, sent to addresses of yours.",
  Analytics: "Figures of posts and accounts, collected every night.",
  "Short links": "Short addresses that send visitors on by rules, with their clicks.",
  Domains: "Domains of your own for short links.",
  Feeds: "RSS, Atom and JSON feeds whose new entries become posts.",
  "Text blocks": "Texts that posts name, such as a signature.",
  Suggestions: "Ideas and feedback for the people who run the instance.",
  Rehearsals:
    "Publishing one post with a real account, as hidden as its platform can, reading it back and deleting it.",
  Leaving: "Exporting all data of a team, and deleting the team.",
  "Posts (older)": "The same posts in an older form; Uploads have more fields.",
  Extensions: "Operations that Akimbo adds to the specified interface.",
};

const INTRODUCTION = `One call publishes a video, photo, carousel or text to your connected accounts, now or at a planned second. This is the reference; the [guides](/docs/guides) show each task step by step.

Send your API token in the \`x-api-key\` header. A program of others gets its token by OAuth instead, from a person who [allows it](/docs/teams#apps). Publishing is asynchronous: a create call answers with an upload id; read the outcome from \`GET /upload/{id}\`.

Failures are \`{success: false, error, code?}\`; where fields were refused, \`errors\` lists all of them.`;

const introduceAgents = (origin: string): string => `## For agents

Agents post through the Model Context Protocol at \`${origin}/mcp\`. \`${origin}/llms.txt\` introduces the tools. ${ADDING_CLIENTS}

${describeClients(origin, "###")}`;

export function describeApi(app: OpenAPIHono<AppEnv>, path: string): void {
  registerSharedParts(app.openAPIRegistry);
  app.openAPIRegistry.registerComponent("securitySchemes", "apiKey", {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "kmb_ and 64 hexadecimal digits. x-api-token is an older name of the header.",
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "oauth", {
    type: "oauth2",
    description:
      "For programs of others: the owner of a team registers one at /app/settings/apps. PKCE with S256 is always needed. The token is sent as Authorization: Bearer.",
    flows: {
      authorizationCode: {
        authorizationUrl: "/authorize",
        tokenUrl: "/token",
        refreshUrl: "/token",
        scopes: Object.fromEntries(
          SCOPES.filter((scope) => scope !== "*").map((scope) => [scope, SCOPE_WORDS[scope]]),
        ),
      },
    },
  });
  let document: ReturnType<typeof toDocument> | null = null;
  app.get(path, (c) => {
    document ??= toDocument(app);
    const agents = introduceAgents(publicOrigin(c.var.deps, c.req.url));
    const info = { ...document.info, description: `${INTRODUCTION}\n\n${agents}` };
    return c.json({ ...document, info }, 200, { "Cache-Control": "public, max-age=300" });
  });
}

export function toDocument(app: OpenAPIHono<AppEnv>) {
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Akimbo",
      version: INTERFACE_VERSION,
      description: INTRODUCTION,
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [{ url: "/" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  });
}
