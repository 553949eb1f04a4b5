import { beforeAll, expect, test } from "vitest";
import { createMember, type Fields, form, Harness, type Member } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { connectLive } from "../support/pds.ts";
import { photo } from "../support/stage.ts";
import { summary } from "./support.ts";

/** More than reaches the parser before it has to decide what to do with the file. */
const LARGE = 1_000_000;

let member: Member;
let accountId: string;

beforeAll(async () => {
  member = await createMember();
  accountId = await connectLive(new Harness(), member);
});

async function costsOf(fields: Fields) {
  const harness = new Harness();
  const { costs, result } = await measure(harness, () =>
    harness.call("POST", "/upload", { token: member.token, body: form(fields) }),
  );
  expect(result.body).toMatchObject({ success: true });
  return summary(costs);
}

/** The cost of a text post: the row and its four indexes; 7 rows to know the caller and the account. */
const TEXT = {
  roundTrips: 2,
  rowsRead: expect.any(Number),
  rowsWritten: 6,
  queueSends: [1],
  storageCalls: [],
  fetches: [],
};

test("taking in a text costs 2 round trips, 6 rows written and 1 message", async () => {
  expect(await costsOf({ accountId, description: "Text" })).toEqual(TEXT);
});

test("a planned post writes its event, which its timeline finds, too, and sends no message before its time", async () => {
  const planned = { accountId, description: "Later", schedule_date: "2027-01-01T00:00:00Z" };
  expect(await costsOf(planned)).toEqual({ ...TEXT, rowsWritten: 8, queueSends: [] });
});

test("a draft is in no index of work, and sends no message", async () => {
  const draft = { accountId, description: "Not yet", status: "draft" };
  expect(await costsOf(draft)).toEqual({ ...TEXT, rowsWritten: 5, queueSends: [] });
});

test("a new file costs 1 put, its row and the row that says who needs it", async () => {
  const withPhoto = {
    ...TEXT,
    rowsRead: expect.any(Number),
    rowsWritten: 8,
    storageCalls: ["put"],
  };
  expect(await costsOf({ accountId, description: "After", photo: photo() })).toEqual(withPhoto);
  expect(await costsOf({ accountId, photo: photo(LARGE) })).toEqual(withPhoto);
});

test("a file before the fields costs one round trip more, where they are not read with it", async () => {
  const small = await costsOf({ photo: photo(), accountId, description: "Before" });
  expect(small.roundTrips).toBe(2);
  const large = await costsOf({ photo: photo(LARGE), accountId, description: "Before" });
  expect(large).toMatchObject({ roundTrips: 3, rowsWritten: 8, storageCalls: ["put"] });
});

test("a file that the team has already is stored once", async () => {
  const file = photo();
  await costsOf({ accountId, photo: file });
  const again = await costsOf({ accountId, photo: file, description: "Once more" });
  expect(again).toMatchObject({ rowsWritten: 8, storageCalls: ["put", "head", "delete"] });
});
