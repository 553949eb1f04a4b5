import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { refuseUnknownEvents } from "../../support/events.ts";

test.each([
  ["subscription.updated", { plan: "pro" }, /previousPlan/],
  ["subscription.updated", { plan: "pro", previousPlan: "free" }, /previousPlan/],
  ["upload.cancelled", { uploadId: "1", platform: "x" }, /uploadId/],
])("an event %s with the data %j is not as documented", async (name, data, problem) => {
  await env.DB.prepare(
    "INSERT INTO events (team_id, id, name, data, created_at) VALUES (1, 'evt_1', ?, ?, 0)",
  )
    .bind(name, JSON.stringify(data))
    .run();
  await expect(refuseUnknownEvents()).rejects.toThrow(problem);
  await env.DB.exec("DELETE FROM events");
});
