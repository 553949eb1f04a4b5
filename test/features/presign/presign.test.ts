import { describe, expect, test } from "vitest";
import { DEFAULT_PLANS } from "../../../src/core/plans.ts";
import { ROUTES } from "../../../src/features/presign/rules.ts";
import {
  createMember,
  createToken,
  Harness,
  harnessWith,
  type Member,
} from "../../support/harness.ts";
import { putToStorage } from "../../support/storage.ts";
import { pixelPng } from "../../support/videos.ts";

const MIB = 1024 ** 2;

const presign = (
  harness: Harness,
  { token }: Pick<Member, "token">,
  json: unknown,
  headers: Record<string, string> = {},
) => harness.call("POST", "/upload/presign", { token, json, headers });

const files = (count: number, size: number, type: string) =>
  Array.from({ length: count }, (_, i) => ({ name: `file ${i}`, size, type }));

/** Source: spec, "Presigned upload", the table. */
const TABLE: [
  route: string,
  multipart: boolean,
  maxFiles: number,
  maxSize: number,
  types: string[],
][] = [
  ["video", false, 1, 5_000_000_000, ["video/*", "application/octet-stream"]],
  ["tiktok_videos", true, 1, 4_000_000_000, ["video/mp4", "video/webm"]],
  ["youtube_videos", true, 1, 10_737_418_240, ["video/*", "application/octet-stream"]],
  ["pinterest_videos", true, 1, 2_000_000_000, ["video/mp4", "video/quicktime", "video/x-m4v"]],
  ["threads_videos", true, 1, 1_000_000_000, ["video/mp4", "video/quicktime"]],
  ["linkedin_videos", true, 1, 500_000_000, ["video/mp4"]],
  ["photos", false, 35, 20_000_000, ["image/jpeg", "image/png", "image/webp"]],
  ["instagram_photos", false, 10, 8_000_000, ["image/jpeg", "image/png", "image/webp"]],
  ["threads_photos", false, 20, 8_000_000, ["image/jpeg", "image/png"]],
  ["bluesky_photos", false, 4, 2_000_000, ["image/jpeg", "image/png", "image/webp", "image/gif"]],
  ["thumbnails", false, 1, 20_000_000, ["image/jpeg", "image/png", "image/webp", "image/gif"]],
  [
    "documents",
    false,
    1,
    100_000_000,
    [
      "application/pdf",
      "application/vnd.ms-powerpoint",
      "application/vnd.openxmlformats-officedocument.presentationml.presentation",
      "application/msword",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ],
  ],
];

test("the twelve routes are those of the table", () => {
  expect(TABLE.map(([route]) => route)).toEqual(Object.keys(ROUTES));
});

test.each(TABLE)(
  "%s: its limits, to the byte and the file",
  async (route, isMultipart, maxFiles, maxSize, types) => {
    const harness = new Harness();
    const member = await createMember();
    for (const type of types.map((one) => one.replace("*", "x-flv"))) {
      const answer = await presign(harness, member, {
        route,
        files: files(maxFiles, maxSize, type),
      });
      expect(answer.status).toBe(200);
      expect(answer.body.files).toHaveLength(maxFiles);
      for (const file of answer.body.files) {
        expect("multipart" in file).toBe(isMultipart);
        expect("uploadUrl" in file).toBe(!isMultipart);
      }
    }
    const [type = ""] = types;
    const limits = { maxFiles, maxSize, types };
    const good = type.replace("*", "mp4");
    const refused: [string, ReturnType<typeof files>][] = [
      ["TOO_MANY_FILES", files(maxFiles + 1, 1, good)],
      ["FILE_TOO_LARGE", files(1, maxSize + 1, good)],
      ["INVALID_FILE_TYPE", files(1, 1, "text/html")],
    ];
    for (const [code, list] of refused) {
      const answer = await presign(harness, member, { route, files: list });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ success: false, code, limits });
    }
  },
);

test("the parts of 10 GiB: 640 of 16 MiB, each with an address of its own", async () => {
  const harness = new Harness();
  const member = await createMember();
  const size = 10 * 1024 * MIB;
  const answer = await presign(harness, member, {
    route: "youtube_videos",
    files: files(1, size, "video/mp4"),
  });
  const { parts, partSize } = answer.body.files[0].multipart;
  expect(partSize).toBe(16 * MIB);
  expect(parts).toHaveLength(640);
  expect(parts.map(({ partNumber }: { partNumber: number }) => partNumber)).toEqual(
    Array.from({ length: 640 }, (_, i) => i + 1),
  );
  expect(new Set(parts.map((part: { uploadUrl: string }) => part.uploadUrl)).size).toBe(640);
  for (const { uploadUrl } of parts.slice(0, 2)) {
    const { searchParams } = new URL(uploadUrl);
    expect(searchParams.get("X-Amz-Expires")).toBe("21600");
    expect(searchParams.get("X-Amz-SignedHeaders")).toBe("content-length;host");
  }
});

test("the last part has what is left", async () => {
  const harness = new Harness();
  const answer = await presign(harness, await createMember(), {
    route: "linkedin_videos",
    files: files(1, 33 * MIB + 5, "video/mp4"),
  });
  const { parts } = answer.body.files[0].multipart;
  const sizes = parts.map(({ size }: { size: number }) => size);
  expect(sizes).toEqual([16 * MIB, 16 * MIB, MIB + 5]);
});

describe("the body", () => {
  const file = { name: "a.jpg", size: 5, type: "image/jpeg" };
  test.each<[string, string, unknown]>([
    ["no JSON", "INVALID_JSON", '{"route":'],
    ["bytes that are no text", "INVALID_JSON", "\u0000"],
    ["nesting without end", "INVALID_JSON", "[".repeat(100_000)],
    ["a list", "INVALID_REQUEST", []],
    ["no route", "INVALID_REQUEST", { files: [file] }],
    ["no files", "INVALID_REQUEST", { route: "photos" }],
    ["an empty list of files", "INVALID_REQUEST", { route: "photos", files: [] }],
    ...([undefined, 0, -1, 1.5, "5", null, 2 ** 53, 1e300] as unknown[]).map(
      (size): [string, string, unknown] => [
        `size ${size}`,
        "INVALID_REQUEST",
        { route: "photos", files: [{ ...file, size }] },
      ],
    ),
    ["no name", "INVALID_REQUEST", { route: "photos", files: [{ ...file, name: "" }] }],
    [
      "a long name",
      "INVALID_REQUEST",
      { route: "photos", files: [{ ...file, name: "a".repeat(256) }] },
    ],
    [
      "a type that would break a header",
      "INVALID_REQUEST",
      { route: "photos", files: [{ ...file, type: "image/jpeg\r\nx: y" }] },
    ],
  ])("%s: %s", async (_, code, json) => {
    const answer = await presign(new Harness(), await createMember(), json);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ success: false, code });
    const refused = (answer.body.errors ?? []).map(({ field }: { field: string }) => field);
    expect(new Set(refused).size).toBe(refused.length);
  });

  test("an unknown route is told the twelve there are (404 UNKNOWN_ROUTE)", async () => {
    for (const route of ["gifs", "__proto__", "toString", "VIDEO"]) {
      const answer = await presign(new Harness(), await createMember(), { route, files: [file] });
      expect(answer.status).toBe(404);
      expect(answer.body).toMatchObject({
        code: "UNKNOWN_ROUTE",
        validRoutes: Object.keys(ROUTES),
      });
    }
  });

  test("of 256 KB is read, of one byte more is not (413 BODY_TOO_LARGE)", async () => {
    const member = await createMember();
    const bare = JSON.stringify({ route: "photos", files: [file] });
    const padded = (bytes: number) => bare + " ".repeat(bytes - bare.length);
    expect((await presign(new Harness(), member, padded(256_000))).status).toBe(200);
    const answer = await presign(new Harness(), member, padded(256_001));
    expect(answer.status).toBe(413);
    expect(answer.body).toMatchObject({ success: false, code: "BODY_TOO_LARGE" });
  });

  test("of another content type is refused (415)", async () => {
    const headers = { "content-type": "text/plain" };
    const answer = await presign(new Harness(), await createMember(), "{}", headers);
    expect(answer.body.code).toBe("UNSUPPORTED_MEDIA_TYPE");
  });

  test("a type's parameters are dropped, and its letters made small", async () => {
    const answer = await presign(new Harness(), await createMember(), {
      route: "photos",
      files: [{ ...file, type: "Image/JPEG; q=1" }],
    });
    expect(answer.body.files[0].uploadHeaders["content-type"]).toBe("image/jpeg");
  });
});

const onAllowance = (presignBytes: number | null): Harness => {
  const { plans } = DEFAULT_PLANS;
  const owner = { ...plans.owner, presignBytes };
  return harnessWith({ plans: { ...DEFAULT_PLANS, plans: { ...plans, owner } } });
};

describe("the allowance", () => {
  const photo = (size: number) => ({ route: "photos", files: files(1, size, "image/png") });

  test("counts declared bytes over rolling 30 days", async () => {
    const harness = onAllowance(1_000);
    const member = await createMember();
    const first = await presign(harness, member, photo(600));
    const usage = { used: 600, allowance: 1_000, remaining: 400, unlimited: false };
    expect(first.body.usage).toEqual(usage);
    const refused = await presign(harness, member, photo(401));
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ code: "STORAGE_QUOTA_EXCEEDED", usage });
    expect((await presign(harness, member, photo(400))).body.usage.remaining).toBe(0);
    harness.advance(30 * 86_400 - 1);
    expect((await presign(harness, member, photo(1))).status).toBe(403);
    harness.advance(1);
    expect((await presign(harness, member, photo(1_000))).body.usage.used).toBe(1_000);
  });

  test("is not there where the plan has none", async () => {
    const answer = await presign(onAllowance(null), await createMember(), photo(600));
    const usage = { used: 600, allowance: null, remaining: null, unlimited: true };
    expect(answer.body.usage).toEqual(usage);
  });

  test("is exact for 40 calls at once, multipart or not", async () => {
    const harness = onAllowance(10_000);
    const member = await createMember();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        presign(harness, member, {
          route: i % 2 ? "photos" : "linkedin_videos",
          files: files(1, 900, i % 2 ? "image/png" : "video/mp4"),
        }),
      ),
    );
    const taken = answers.filter(({ status }) => status === 200);
    expect(taken).toHaveLength(11);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(29);
    const used = taken.map(({ body }) => body.usage.used).sort((a, b) => a - b);
    expect(used).toEqual(Array.from({ length: 11 }, (_, i) => (i + 1) * 900));
    await harness.settle();
  });

  test("is a team's: a call for another one does not touch it", async () => {
    const harness = onAllowance(1_000);
    const [member, other] = [await createMember(), await createMember()];
    await presign(harness, member, photo(1_000));
    expect((await presign(harness, other, photo(1_000))).status).toBe(200);
  });
});

describe("120 calls in 15 minutes", () => {
  const limited = () => harnessWith({ rateLimits: { presign: { limit: 3, windowSeconds: 900 } } });
  const json = { route: "photos", files: files(1, 5, "image/png") };
  const from = (address: string) => ({ "cf-connecting-ip": address });

  test("are a user's, whatever the address and the token (429 RATE_LIMIT with retryAfter)", async () => {
    const harness = limited();
    const member = await createMember();
    const again = await createToken(member.userId);
    for (let i = 0; i < 3; i++) {
      const answer = await presign(
        harness,
        i ? { token: again } : member,
        json,
        from(`192.0.2.${i}`),
      );
      expect(answer.status).toBe(200);
      expect(answer.headers.get("ratelimit")).toMatch(/^"presign";r=/);
    }
    const refused = await presign(harness, member, json, from("192.0.2.9"));
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ code: "RATE_LIMIT", retryAfter: 900 });
    expect(refused.headers.get("retry-after")).toBe("900");
  });

  test("of one user leave another at the same address alone", async () => {
    const harness = limited();
    const [one, other] = [await createMember(), await createMember()];
    for (let i = 0; i < 3; i++) await presign(harness, one, json, from("192.0.2.50"));
    expect((await presign(harness, one, json, from("192.0.2.50"))).status).toBe(429);
    expect((await presign(harness, other, json, from("192.0.2.50"))).status).toBe(200);
  });
});

describe("an Idempotency-Key", () => {
  const json = { route: "linkedin_videos", files: files(1, 20 * MIB, "video/mp4") };
  const named = { "idempotency-key": "once" };

  test("gets the same addresses again, and counts once", async () => {
    const harness = new Harness();
    const member = await createMember();
    const first = await presign(harness, member, json, named);
    await presign(harness, member, { route: "photos", files: files(2, 7, "image/png") });
    harness.advance(60);
    const second = await presign(harness, member, json, named);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(second.body).toEqual(first.body);
    expect(second.body.usage.used).toBe(20 * MIB);
  });

  test("is not taken for another body (422)", async () => {
    const harness = new Harness();
    const member = await createMember();
    await presign(harness, member, json, named);
    const answer = await presign(
      harness,
      member,
      { ...json, files: files(1, 21 * MIB, "video/mp4") },
      named,
    );
    expect(answer.body.code).toBe("IDEMPOTENCY_MISMATCH");
  });

  test("of 20 calls at once presigns once", async () => {
    const harness = new Harness();
    const member = await createMember();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => presign(harness, member, json, named)),
    );
    const keys = answers.map(({ body }) => body.files[0].bucketUrl);
    expect(new Set(keys).size).toBe(1);
    expect(answers[0]?.body.usage.used).toBe(20 * MIB);
  });
});

test("a caller without posts:write learns nothing of limits or routes (403)", async () => {
  const harness = new Harness();
  const { userId } = await createMember();
  const token = await createToken(userId, { scopes: ["accounts:read"] });
  for (const json of ["{", { route: "gifs", files: files(1, 1, "a/b") }]) {
    const answer = await presign(harness, { token }, json);
    expect(answer.body).toMatchObject({ code: "INSUFFICIENT_SCOPE", requiredScope: "posts:write" });
  }
});

test("without storage's address and key, the owner's part is named (503)", async () => {
  const answer = await presign(harnessWith({ storage: null }), await createMember(), {
    route: "photos",
    files: files(1, 5, "image/png"),
  });
  expect(answer.status).toBe(503);
  expect(answer.body.error).toMatch(/STORAGE_ENDPOINT, R2_ACCESS_KEY_ID and R2_SECRET_ACCESS_KEY/);
});

test("storage that does not answer is a moment's matter (503)", async () => {
  const harness = new Harness();
  const media = Object.create(harness.deps.media, {
    createMultipartUpload: { value: async () => Promise.reject(new Error("internal (10001)")) },
  });
  const broken = new Harness({ media });
  const member = await createMember();
  const json = { route: "linkedin_videos", files: files(1, 5, "video/mp4") };
  const answer = await presign(broken, member, json);
  expect(answer.status).toBe(503);
  expect(answer.body).toEqual({ success: false, error: expect.stringMatching(/again/) });
  expect((await presign(harness, member, json)).body.usage.used).toBe(5);
});

describe("a single PUT", () => {
  const one = async () => {
    const harness = new Harness();
    const member = await createMember();
    const answer = await presign(harness, member, {
      route: "photos",
      files: files(2, pixelPng.length, "image/png"),
    });
    return { harness, member, file: answer.body.files[0], other: answer.body.files[1] };
  };

  test("puts the file where its addresses say, once", async () => {
    const { file } = await one();
    expect(file.uploadHeaders).toEqual({
      "content-type": "image/png",
      "content-length": String(pixelPng.length),
      "if-none-match": "*",
    });
    expect((await putToStorage(file.uploadUrl, pixelPng, file.uploadHeaders)).status).toBe(200);
    expect((await putToStorage(file.uploadUrl, pixelPng, file.uploadHeaders)).status).toBe(412);
  });

  test.each<[string, (file: { uploadUrl: string }, other: { uploadUrl: string }) => string]>([
    [
      "another key",
      ({ uploadUrl }, other) => uploadUrl.replace(/[^?]+/, other.uploadUrl.split("?")[0] ?? ""),
    ],
    ["a longer life", ({ uploadUrl }) => uploadUrl.replace("Expires=3600", "Expires=7200")],
    ["a part of something", ({ uploadUrl }) => `${uploadUrl}&partNumber=1&uploadId=x`],
  ])("is refused for %s", async (_, change) => {
    const { file, other } = await one();
    const reply = await putToStorage(change(file, other), pixelPng, file.uploadHeaders);
    expect(reply.status).toBe(403);
  });

  test.each<[string, Uint8Array<ArrayBuffer>, Record<string, string>]>([
    ["more bytes than declared", new Uint8Array([...pixelPng, 0]), {}],
    ["fewer bytes", pixelPng.slice(1), {}],
    ["another type", pixelPng, { "content-type": "text/html" }],
    ["leave to overwrite", pixelPng, { "if-none-match": '"x"' }],
  ])("is refused for %s", async (_, bytes, headers) => {
    const { file } = await one();
    const sent = { ...file.uploadHeaders, ...headers };
    expect((await putToStorage(file.uploadUrl, bytes, sent)).status).toBe(403);
  });

  test("ends after an hour", async () => {
    const { harness, file } = await one();
    harness.advance(3_601);
    expect((await putToStorage(file.uploadUrl, pixelPng, file.uploadHeaders)).status).toBe(403);
  });
});
