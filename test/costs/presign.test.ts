import { expect, test } from "vitest";
import { createMember, Harness } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { summary } from "./support.ts";

async function costsOf(route: string, files: { name: string; size: number; type: string }[]) {
  const harness = new Harness();
  const { token } = await createMember();
  const { costs, result } = await measure(harness, () =>
    harness.call("POST", "/upload/presign", { token, json: { route, files } }),
  );
  expect(result.body).toMatchObject({ success: true, files: { length: files.length } });
  return costs;
}

const photos = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ name: `${i}.jpg`, size: 1_000, type: "image/jpeg" }));

test("presigning 35 photos costs one round trip beyond authentication, and nothing of storage", async () => {
  const costs = await costsOf("photos", photos(35));
  const [, second = []] = costs.roundTrips;
  expect(second.map(({ sql }) => sql.trim().split(/\s/)[0])).toEqual(["INSERT", "SELECT"]);
  expect(summary(costs)).toEqual({
    roundTrips: 2,
    rowsRead: expect.any(Number),
    // A row each with its entries in two indexes, and the token's last use.
    rowsWritten: 106,
    queueSends: [],
    storageCalls: [],
    fetches: [],
  });
});

test("presigning 10 GiB in 640 parts costs the same round trips, and one call to storage", async () => {
  const film = { name: "film.mp4", size: 10 * 1_024 ** 3, type: "video/mp4" };
  expect(summary(await costsOf("youtube_videos", [film]))).toMatchObject({
    roundTrips: 2,
    rowsWritten: 4,
    storageCalls: ["createMultipartUpload"],
  });
});
