import { Hono } from "hono";
import { type AppEnv, publicOrigin } from "./env.ts";

/** An introduction for agents that read, under this instance's own addresses. */
export const llmsRoutes = new Hono<AppEnv>();

/** @see https://llmstxt.org */
const introduce = (origin: string): string => `# Akimbo

> A social publishing API. One call publishes a video, photo, carousel or text to TikTok, Instagram, Facebook, YouTube, LinkedIn, Pinterest, Bluesky, Threads and X, now or at a planned time.

Every call carries an API token in the header x-api-key (or Authorization: Bearer). Publishing goes on after a call has answered: poll the upload, or subscribe a webhook.

## For agents

- [Agent endpoint](${origin}/mcp): Model Context Protocol over one HTTP POST per message, revisions 2026-07-28, 2025-11-25 and 2025-06-18, no session. A client's configuration: {"mcpServers": {"akimbo": {"type": "http", "url": "${origin}/mcp", "headers": {"x-api-key": "<API_KEY>"}}}}

## The API

- [OpenAPI 3.1 document](${origin}/api/v1/openapi.json): every operation, field, error and limit
- [Reference](${origin}/docs): the same as a page
- [Health](${origin}/health)
`;

llmsRoutes.get("/llms.txt", (c) => {
  c.header("Cache-Control", "public, max-age=300");
  return c.text(introduce(publicOrigin(c.var.deps, c.req.url)));
});
