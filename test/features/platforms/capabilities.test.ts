import { beforeAll, describe, expect, test } from "vitest";
import { PLATFORMS } from "../../../src/core/platforms.ts";
import { createMember, Harness, type Member } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";

const harness = new Harness();
let member: Member;

beforeAll(async () => {
  member = await createMember({ scopes: ["posts:read"] });
});

const read = (query: string) =>
  harness.call("GET", `/platforms/capabilities${query}`, { token: member.token });

const SHAPE = [
  "bannedHashtags",
  "canUnpublish",
  "dailyPostCap",
  "editPermission",
  "editable",
  "followUps",
  "limits",
  "mediaSupport",
  "mentions",
  "platform",
  "settingsSchema",
  "unpublishPermission",
];

describe("GET /platforms/capabilities", () => {
  test("answers all, the spec's first and in its order", async () => {
    const { status, body } = await read("");
    expect(status).toBe(200);
    expect(body.data.map(({ platform }: { platform: string }) => platform)).toEqual([...PLATFORMS]);
    for (const one of body.data) expect(Object.keys(one).sort()).toEqual(SHAPE);
  });

  test.each(PLATFORMS)("answers %s alone as an object, the same as in the list", async (name) => {
    const { status, body } = await read(`?platform=${name}`);
    expect(status).toBe(200);
    expect(body.data.platform).toBe(name);
    const all = await read("");
    expect(body.data).toEqual(all.body.data[PLATFORMS.indexOf(name)]);
  });

  test("tells limits by number, and null where there is no such field", async () => {
    const { data } = (await read("?platform=pinterest")).body;
    expect(data).toMatchObject({
      limits: {
        postCharacters: 500,
        photoPostCharacters: 500,
        titleCharacters: 100,
        altTextCharacters: 500,
        linkCharacters: 2_048,
        tagsCharacters: null,
      },
      dailyPostCap: 20,
      mediaSupport: { kinds: ["image", "video"], maxCount: 5, textOnly: false },
      bannedHashtags: [],
    });
    expect(data.mediaSupport).not.toHaveProperty("documentTypes");
  });

  test("tells of each setting whether it is required, its type and its values", async () => {
    const { settingsSchema } = (await read("?platform=pinterest")).body.data;
    expect(settingsSchema.pinterest_board_id).toEqual({
      required: true,
      type: "string",
      values: [],
    });
    const tiktok = (await read("?platform=tiktok")).body.data.settingsSchema;
    expect(tiktok.privacy_level).toEqual({
      required: false,
      type: "string",
      values: ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY"],
    });
    expect(tiktok.disable_duet).toEqual({ required: false, type: "boolean", values: [] });
  });

  test("tells what the instance itself needs, where it needs something", async () => {
    const { data } = (await read("")).body;
    interface One {
      platform: string;
      mediaSupport: { note?: string };
    }
    const notes = (data as One[]).flatMap(({ platform, mediaSupport }) =>
      mediaSupport.note ? [[platform, mediaSupport.note]] : [],
    );
    expect(notes).toEqual([["tiktok", expect.stringMatching(/domain.*PUBLIC_URL/)]]);
  });

  test("tells the limits of thumbnails, and where the platform's own is higher", async () => {
    expect((await read("?platform=youtube")).body.data.mediaSupport.thumbnail).toEqual({
      types: ["image/jpeg", "image/png"],
      maxBytes: 2_097_152,
      note: expect.stringMatching(/50 MB since 14 September 2026/),
    });
    expect((await read("?platform=x")).body.data.mediaSupport).not.toHaveProperty("thumbnail");
  });

  test("tells hashtags that the platform hides", async () => {
    expect((await read("?platform=instagram")).body.data.bannedHashtags).toContain("probulimia");
  });

  test.each(["myspace", "X", "", "tiktok,x", "toString", "tiktok&platform=x"])(
    "refuses the platform %j and names those there are",
    async (name) => {
      const { status, body } = await read(`?platform=${name}`);
      expect(status).toBe(400);
      expect(body.errors).toEqual([
        { field: "platform", message: `platform: must be one of ${PLATFORMS.join(", ")}` },
      ]);
    },
  );

  test.each(["", "?platform=x"])(
    "costs one round trip, which writes nothing (%s)",
    async (query) => {
      await read(query);
      const { costs } = await measure(harness, () => read(query));
      expect(costs.roundTrips).toHaveLength(1);
      expect(costs.roundTrips[0]).toHaveLength(1);
      expect(costs).toMatchObject({
        rowsWritten: 0,
        fetches: [],
        storageCalls: [],
        queueSends: [],
      });
    },
  );
});
