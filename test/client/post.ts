import { setTimeout as sleep } from "node:timers/promises";
import { type Akimbo, createAkimbo, toForm } from "../../src/client/index.ts";
import { createSamplePhoto } from "./photo.ts";

const POLL_MS = 250;
const MAX_POLLS = 120;

/** An integrator's program: publishes a photo with the client and reads it back, as JSON. */
async function main(url: string, token: string): Promise<void> {
  const client = createAkimbo({ url, token });

  const connected = await client.POST("/api/v1/accounts", {
    body: { platform: "bluesky", sandbox: true, name: "Generated" },
  });
  if (connected.error) throw new Error(connected.error.error);
  if (!("data" in connected.data)) throw new Error("A person has to agree first.");
  const accountId = connected.data.data.id;

  const created = await client.POST("/api/v1/upload", {
    params: { header: { "Idempotency-Key": "a generated client's first" } },
    body: {
      accountId,
      description: "Written by nobody",
      bluesky_langs: "en",
      photo: createSamplePhoto(),
    },
    bodySerializer: toForm,
  });
  if (created.error) throw new Error(created.error.error);
  const { uploadId } = created.data.data;

  for (let polls = 0; polls < MAX_POLLS; polls++) {
    const read = await client.GET("/api/v1/upload/{id}", {
      params: { path: { id: String(uploadId) } },
    });
    if (read.error) throw new Error(read.error.error);
    const { status, failure, metadata, errorMessage } = read.data.data;
    if (status === "completed") {
      const refused = await client.GET("/api/v1/upload/{id}", { params: { path: { id: "0" } } });
      const code: "NOT_FOUND" | undefined =
        refused.error?.code === "NOT_FOUND" ? refused.error.code : undefined;
      console.log(JSON.stringify({ status, shareUrl: metadata?.shareUrl, code }));
      return;
    }
    if (failure) throw new Error(`${failure.code}, ${failure.nextAction}: ${errorMessage}`);
    await sleep(POLL_MS);
  }
  throw new Error("The post did not go out.");
}

/** Never called: what the compiler refuses. */
export function mistakes(client: Akimbo) {
  return [
    // @ts-expect-error a post is for an account
    client.POST("/api/v1/upload", { body: { description: "Hello" } }),
    // @ts-expect-error there is no such platform
    client.GET("/api/v1/accounts", { params: { query: { platform: "myspace" } } }),
    // @ts-expect-error an upload is named by its id
    client.DELETE("/api/v1/upload/{id}", {}),
    // @ts-expect-error there is no such operation
    client.PUT("/api/v1/upload/{id}", { params: { path: { id: "1" } } }),
  ];
}

const [url = "", token = ""] = process.argv.slice(2);
await main(url, token);
