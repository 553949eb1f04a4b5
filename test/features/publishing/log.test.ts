import { expect, test } from "vitest";
import { openStage, png, type Wrap } from "../../support/stage.ts";

const firstBreaks = (): Wrap => {
  let isFirst = true;
  return async (_, answer) => {
    if (!isFirst) return answer();
    isFirst = false;
    return new Response("Busy", { status: 503 });
  };
};

test.each([
  { text: "Fine", lines: ["upload.completed"] },
  { text: "Refused [sandbox:rate_limited]", lines: ["upload.failed rate_limited"] },
  { text: "Trouble [sandbox:5xx=1]", lines: ["upload.looked_for absent", "upload.completed"] },
  { text: "Lost [sandbox:lost_reply]", lines: ["upload.looked_for published", "upload.completed"] },
  {
    text: "Busy at its first call",
    wrap: firstBreaks(),
    lines: ["upload.backed_off platform_unavailable 30", "upload.completed"],
  },
])("the log has each outcome of $text with its ids, and no text", async ({ text, lines, wrap }) => {
  const stage = await openStage("bluesky");
  const { harness, member, accountId } = stage;
  const { upload } = await stage.publish({ description: text, photo: png() }, wrap);
  const about = harness.logs.filter(
    (line) => "event" in line && String(line.event).startsWith("upload."),
  ) as Record<string, unknown>[];
  const said = about.map(({ event, code, found, afterSeconds }) =>
    [event, code ?? found, afterSeconds].filter((part) => part !== undefined).join(" "),
  );
  expect(said).toEqual(lines);
  const ids = { uploadId: upload.id, teamId: member.teamId, accountId, platform: "bluesky" };
  for (const line of about) expect(line).toMatchObject({ ...ids, attempt: 1 });
  expect(JSON.stringify(harness.logs)).not.toContain(text);
});
