import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "./env.ts";

/** Source: spec, "Versioning". */
const INTERFACE_VERSION = "1.0.0";

const INTRODUCTION = `One call publishes a video, photo, carousel or text to your connected accounts, now or at a planned second.

Send your API token in the \`x-api-key\` header. Publishing is asynchronous: a create call answers with an upload id; read the outcome from \`GET /upload/{id}\`.

Failures are \`{success: false, error, code?}\`; where fields were refused, \`errors\` lists all of them.`;

/** Serves the description of everything that the routes declared. */
export function describeApi(app: OpenAPIHono<AppEnv>): void {
  app.openAPIRegistry.registerComponent("securitySchemes", "apiKey", {
    type: "apiKey",
    in: "header",
    name: "x-api-key",
    description: "kmb_ and 64 hexadecimal digits. x-api-token is an older name of the header.",
  });
  let document: object | null = null;
  app.get("/api/v1/openapi.json", (c) => {
    document ??= app.getOpenAPI31Document({
      openapi: "3.1.0",
      info: { title: "Akimbo", version: INTERFACE_VERSION, description: INTRODUCTION },
      servers: [{ url: "/" }],
    });
    return c.json(document, 200, { "Cache-Control": "public, max-age=300" });
  });
}
