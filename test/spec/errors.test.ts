import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { DEFAULT_PLANS, type Plan } from "../../src/core/plans.ts";
import {
  type Answer,
  createToken,
  type Fields,
  form,
  Harness,
  harnessWith,
} from "../support/harness.ts";
import { beginLife, type Columns, type Life, mediaOf } from "../support/life.ts";
import { testJpeg, verticalMp4 } from "../support/videos.ts";

interface Row {
  status: number;
  /** Null: the spec gives the answer none. */
  code: string | null;
  when: string;
  life?: () => Promise<Life>;
  reach(life: Life): Promise<Answer>;
  /** Fields of the body beside success, error and code. */
  also?: object;
  /** Pattern of the message. */
  says?: RegExp;
}

const photo = (type = "image/jpeg") => new Blob([testJpeg], { type });
const film = () => new Blob([verticalMp4], { type: "video/mp4" });

const send = ({ harness, member, accountId }: Life, fields: Fields, token = member.token) =>
  harness.call("POST", "/upload", { token, body: form({ accountId, ...fields }) });

const bulk = ({ harness, member, accountId }: Life, fields: Fields) =>
  harness.call("POST", "/upload/bulk", {
    token: member.token,
    body: form({ accounts: JSON.stringify([accountId]), description: "Words", ...fields }),
  });

/** A presign body: files for one thumbnail, each with these changes. */
const presigned = (...files: Record<string, unknown>[]) => ({
  route: "thumbnails",
  files: files.map((file) => ({ name: "a.png", size: 5, type: "image/png", ...file })),
});
const THUMBNAILS = {
  maxFiles: 1,
  maxSize: 20_000_000,
  types: ["image/jpeg", "image/png", "image/webp", "image/gif"],
};

/** The retry of a post that stands so. */
const retry =
  (columns: Columns, json?: object) =>
  async (life: Life): Promise<Answer> =>
    life.call("POST", `/upload/${await life.insert(columns)}/retry`, json);

const failed: Columns = { status: "failed" };
const published = () => ({ status: "completed", counted_at: Date.now() - 3_600_000 });
const waiting = (account_id: string) => ({ status: "pending", account_id });
const many = (count: number, columns: Columns) => Array.from({ length: count }, () => columns);

const onPlan = (plan: Partial<Plan>) => () => {
  const { plans } = DEFAULT_PLANS;
  const owner = { ...plans.owner, ...plan };
  return beginLife(harnessWith({ plans: { ...DEFAULT_PLANS, plans: { ...plans, owner } } }));
};

const capped = async () => {
  const life = await beginLife(undefined, "tiktok");
  await life.insertMany(many(15, published()));
  return life;
};

const instagram = () => beginLife(undefined, "instagram");
const oneErrorOf = (field: RegExp) => ({
  errors: [{ field: expect.stringMatching(field), message: expect.any(String) }],
});

/** Source: spec, "Errors": a row for each line of the table that can be met today. */
const TABLE: Row[] = [
  {
    status: 400,
    code: "USE_APPROVAL_ACTIONS",
    when: "PATCH /upload/{id} with a differing status",
    reach: async (life) =>
      life.call("PATCH", `/upload/${await life.insert({ status: "draft" })}`, {
        status: "scheduled",
      }),
  },
  {
    status: 400,
    code: "INVALID_JSON",
    when: "a body that is no JSON",
    reach: async (life) => life.call("PATCH", `/upload/${await life.insert()}`, "{"),
  },
  ...(
    [
      [400, "INVALID_JSON", "a presign body that is no JSON", "{", {}],
      [
        400,
        "INVALID_REQUEST",
        "a presign size that is missing",
        presigned({ size: undefined }),
        { errors: [expect.objectContaining({ field: "files.0.size" })] },
      ],
      [
        400,
        "INVALID_REQUEST",
        "a presign size of zero",
        presigned({ size: 0 }),
        { errors: [expect.objectContaining({ field: "files.0.size" })] },
      ],
      [
        400,
        "TOO_MANY_FILES",
        "more files than the route allows",
        presigned({}, {}),
        { limits: THUMBNAILS },
      ],
      [
        400,
        "FILE_TOO_LARGE",
        "a declared size above the route's",
        presigned({ size: 20_000_001 }),
        { limits: THUMBNAILS },
      ],
      [
        400,
        "INVALID_FILE_TYPE",
        "a type that the route does not take",
        presigned({ type: "video/mp4" }),
        { limits: THUMBNAILS },
      ],
      [
        404,
        "UNKNOWN_ROUTE",
        "an unknown presign route",
        { ...presigned({}), route: "gifs" },
        { validRoutes: expect.arrayContaining(["video", "documents"]) },
      ],
      [
        413,
        "BODY_TOO_LARGE",
        "a presign body above 256 KB",
        `{"route":"${"a".repeat(256_000)}"}`,
        {},
      ],
    ] as [number, string, string, unknown, object][]
  ).map(
    ([status, code, when, json, also]): Row => ({
      ...{ status, code, when, also },
      reach: (life) => life.call("POST", "/upload/presign", json),
    }),
  ),
  {
    status: 403,
    code: "STORAGE_QUOTA_EXCEEDED",
    when: "the presign allowance is exhausted",
    life: onPlan({ presignBytes: 4 }),
    reach: (life) => life.call("POST", "/upload/presign", presigned({})),
    also: { usage: { used: 0, allowance: 4, remaining: 4, unlimited: false } },
  },
  {
    status: 409,
    code: "MEDIA_IN_USE",
    when: "a file is removed that a draft needs",
    reach: async (life) => {
      await send(life, { description: "Words", photo: photo(), status: "draft" });
      const { body } = await life.call("GET", "/media");
      return life.call("DELETE", `/media/${body.data[0].mediaId}`);
    },
    also: { usedBy: [expect.objectContaining({ status: "draft" })], poolItems: [] },
  },
  {
    status: 429,
    code: "RATE_LIMIT",
    when: "presign's own limit; it tells the seconds",
    life: () =>
      beginLife(harnessWith({ rateLimits: { presign: { limit: 1, windowSeconds: 60 } } })),
    reach: async (life) => {
      await life.call("POST", "/upload/presign", presigned({}));
      return life.call("POST", "/upload/presign", presigned({}));
    },
    also: { retryAfter: 60 },
  },
  {
    status: 503,
    code: null,
    when: "storage does not answer presign",
    life: async () => {
      const media = Object.create(env.MEDIA, {
        createMultipartUpload: { value: () => Promise.reject(new Error("internal (10001)")) },
      });
      return beginLife(new Harness({ media }));
    },
    reach: (life) =>
      life.call("POST", "/upload/presign", {
        route: "linkedin_videos",
        files: [{ name: "a", size: 5, type: "video/mp4" }],
      }),
  },
  {
    status: 400,
    code: null,
    when: "an unknown overrides key",
    reach: (life) => bulk(life, { overrides: '{"blusky":{"caption":"Words"}}' }),
    also: oneErrorOf(/^overrides$/),
    says: /"blusky"/,
  },
  {
    status: 400,
    code: null,
    when: "an unknown x_* field",
    reach: (life) => send(life, { description: "Words", x_mood: "good" }),
    also: oneErrorOf(/^x_mood$/),
    says: /^x_mood: /,
  },
  {
    status: 400,
    code: null,
    when: "an unknown x_* field in a batch",
    reach: (life) => bulk(life, { x_mood: "good" }),
    also: oneErrorOf(/^x_mood$/),
    says: /^x_mood: /,
  },
  ...["collaborators", "location_id"].map(
    (field): Row => ({
      status: 400,
      code: null,
      when: `a story with ${field}`,
      life: instagram,
      reach: (life) => send(life, { media_type: "STORIES", photo: photo(), [field]: "123" }),
      also: oneErrorOf(new RegExp(field)),
    }),
  ),
  {
    status: 400,
    code: null,
    when: "a story of two",
    life: instagram,
    reach: (life) => send(life, { media_type: "STORIES", photo: [photo(), photo()] }),
    also: oneErrorOf(/./),
  },
  ...(
    [
      ["a photo", { photo: photo() }],
      ["a carousel", { photo: [photo(), photo()] }],
      ["a story", { video: film(), media_type: "STORIES" }],
    ] as [string, Fields][]
  ).map(
    ([what, fields]): Row => ({
      status: 400,
      code: null,
      when: `trial_reel on ${what}`,
      life: instagram,
      reach: (life) => send(life, { title: "Words", trial_reel: "manual", ...fields }),
      also: oneErrorOf(/trial_reel/),
    }),
  ),
  {
    status: 401,
    code: "UNAUTHORIZED",
    when: "no token",
    reach: ({ harness }) => harness.call("GET", "/upload"),
  },
  {
    status: 401,
    code: "UNAUTHORIZED",
    when: "an unknown token",
    reach: ({ harness }) => harness.call("GET", "/upload", { token: `kmb_${"f".repeat(64)}` }),
  },
  {
    status: 403,
    code: "INSUFFICIENT_SCOPE",
    when: "a token without the scope",
    reach: async (life) => {
      const token = await createToken(life.member.userId, { scopes: ["accounts:read"] });
      return life.call("GET", "/upload", undefined, token);
    },
    also: { requiredScope: "posts:read" },
  },
  ...[
    ["GET", "/upload/999999"],
    ["PATCH", "/upload/999999"],
    ["DELETE", "/upload/999999"],
    ["POST", "/upload/999999/retry"],
    ["GET", "/posts/999999"],
    ["GET", "/limits/acc_nobody"],
  ].map(
    ([method = "", path = ""]): Row => ({
      status: 404,
      code: "NOT_FOUND",
      when: `${method} ${path}`,
      reach: (life) => life.call(method, path, method === "PATCH" ? {} : undefined),
    }),
  ),
  {
    status: 404,
    code: "NOT_FOUND",
    when: "an account that the team does not have",
    reach: (life) => send(life, { accountId: "acc_nobody", description: "Words" }),
  },
  {
    status: 409,
    code: "NOT_FAILED",
    when: "retry of an upload that is not failed",
    reach: retry({ status: "completed" }),
  },
  {
    status: 409,
    code: "ALREADY_RETRYING",
    when: "an upload that is still being retried automatically",
    reach: retry({ status: "pending", backoffs: 1 }),
  },
  {
    status: 409,
    code: "NOT_RETRYABLE",
    when: "failure.retryable is false",
    reach: retry({ ...failed, failure_code: "media_invalid" }),
    says: /force/,
  },
  {
    status: 409,
    code: "ACCOUNT_INACTIVE",
    when: "a post for an account that is not connected",
    reach: async (life) => {
      await expire(life);
      return send(life, { description: "Words" });
    },
  },
  {
    status: 409,
    code: "ACCOUNT_INACTIVE",
    when: "a retry for an account that is not connected",
    reach: async (life) => {
      await expire(life);
      return retry(failed)(life);
    },
  },
  {
    status: 409,
    code: "MEDIA_EXPIRED",
    when: "media of a failed upload, deleted after 24 hours",
    reach: async (life) => {
      const [hash = ""] = await life.storeFiles(1);
      const id = await life.insert({ ...failed, media: mediaOf(hash) });
      life.harness.advance(24 * 3_600);
      for (let minute = 0; minute < 60; minute++) {
        life.harness.advance(60);
        await life.harness.tick();
      }
      return life.call("POST", `/upload/${id}/retry`);
    },
    says: /24 hours/,
  },
  {
    status: 409,
    code: "DAILY_LIMIT",
    when: "a retry for an account at its daily cap; it says when that resets",
    life: capped,
    reach: retry(failed),
    says: /2026-12-02T08:00:00\.000Z/,
  },
  {
    status: 409,
    code: "PLAN_LIMIT",
    when: "monthly quota used up",
    life: onPlan({ monthlyPosts: 1 }),
    reach: async (life) => {
      await life.insert(published());
      return send(life, { description: "Words" });
    },
  },
  {
    status: 409,
    code: "PLAN_LIMIT",
    when: "plan lacks the platform",
    life: onPlan({ platforms: ["x"] }),
    reach: (life) => send(life, { description: "Words" }),
    says: /Bluesky/,
  },
  {
    status: 409,
    code: "PLAN_LIMIT",
    when: "a post on X that the balance is short of",
    life: async () => {
      const { plans } = DEFAULT_PLANS;
      const owner = { ...plans.owner, xCredits: 14 };
      const harness = harnessWith({ plans: { ...DEFAULT_PLANS, plans: { ...plans, owner } } });
      return beginLife(harness, "x");
    },
    reach: (life) => send(life, { title: "Read example.com" }),
    says: /costs 15, and 14 are left/,
  },
  {
    status: 409,
    code: "QUEUE_BUSY",
    when: "too many uploads of the account in progress",
    reach: async (life) => {
      await life.insertMany(many(100, waiting(life.accountId)));
      return send(life, { description: "Words" });
    },
  },
  {
    status: 409,
    code: "QUEUE_FULL",
    when: "too many uploads of the team in progress",
    reach: async (life) => {
      await life.insertMany(many(1_000, waiting("acc_another")));
      return send(life, { description: "Words" });
    },
  },
  {
    status: 413,
    code: null,
    when: "a body above 100 MB",
    reach: ({ harness, member }) =>
      harness.call("POST", "/upload", {
        token: member.token,
        headers: {
          "content-type": "multipart/form-data; boundary=b",
          "content-length": "1000000000",
        },
        body: "--b--",
      }),
  },
  {
    status: 429,
    code: "RATE_LIMIT",
    when: "rate limit reached",
    life: () =>
      beginLife(harnessWith({ rateLimits: { "read:limits": { limit: 1, windowSeconds: 60 } } })),
    reach: async (life) => {
      await life.call("GET", `/limits/${life.accountId}`);
      return life.call("GET", `/limits/${life.accountId}`);
    },
  },
];

const expire = async ({ accountId }: Life): Promise<void> => {
  await env.DB.prepare("UPDATE accounts SET status = 'expired' WHERE id = ?").bind(accountId).run();
};

test.each(TABLE)("$status $code: $when", async ({ status, code, reach, also, says, ...row }) => {
  const life = await (row.life ?? beginLife)();
  const answer = await reach(life);
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  expect(answer.body).toEqual({
    success: false,
    error: expect.stringMatching(says ?? /\w/),
    ...(code === null ? {} : { code }),
    ...also,
  });
});

test("429: the daily cap of a platform has a body of its own", async () => {
  const life = await capped();
  const answer = await send(life, { title: "Words", video: film() });
  expect(answer.status).toBe(429);
  expect(answer.body).toEqual({
    success: false,
    error: answer.body.message,
    message: expect.stringContaining("2026-12-02T08:00:00.000Z"),
    violations: [
      {
        platform: "tiktok",
        type: "hard_cap",
        message: answer.body.message,
        used_last_24h: 15,
        cap: 15,
      },
    ],
  });
});
