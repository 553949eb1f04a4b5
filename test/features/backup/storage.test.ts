import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { backUp } from "../../../src/features/backup/nightly.ts";
import { s3Store } from "../../../src/features/backup/store.ts";
import { createMember } from "../../support/harness.ts";
import {
  backingUp,
  countOf,
  manifestIn,
  readLines,
  recordMigrations,
  runToEnd,
} from "./support.ts";

const ID = "2026-12-01T090000Z";
const ACCESS = {
  endpoint: "https://s3.example.com/mine",
  accessKeyId: "key",
  secretAccessKey: "a secret of the storage",
};

beforeEach(async () => {
  await recordMigrations();
  await env.DB.batch(
    ["backups", "backup_slices", "chores"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)),
  );
});

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** An S3 storage with one bucket, which refuses calls without a signature and lists two names at a time. */
class FakeS3 {
  readonly objects = new Map<string, Uint8Array<ArrayBuffer>>();
  isClosed = false;

  answer = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const signature = request.headers.get("authorization") ?? "";
    if (!/^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/[\w-]+\/s3\/aws4_request/.test(signature)) {
      return new Response("<Error><Code>AccessDenied</Code></Error>", { status: 403 });
    }
    if (this.isClosed) return new Response("<Error>SlowDown</Error>", { status: 503 });
    const key = decodeURIComponent(url.pathname.replace(/^\/mine\//, ""));
    switch (request.method) {
      case "PUT":
        this.objects.set(key, new Uint8Array(await request.arrayBuffer()));
        return new Response(null);
      case "DELETE":
        this.objects.delete(key);
        return new Response(null, { status: 204 });
      default:
        return key === "" ? this.list(url.searchParams) : this.object(key);
    }
  };

  private object(key: string): Response {
    const bytes = this.objects.get(key);
    return bytes ? new Response(bytes) : new Response("<Error/>", { status: 404 });
  }

  private list(query: URLSearchParams): Response {
    const prefix = query.get("prefix") ?? "";
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    if (!query.has("delimiter")) {
      const some = keys.slice(0, Number(query.get("max-keys")));
      const contents = some.map((key) => `<Contents><Key>${escaped(key)}</Key></Contents>`);
      return new Response(`<ListBucketResult>${contents.join("")}</ListBucketResult>`);
    }
    const folders = [
      ...new Set(keys.flatMap((key) => /^[^/]*\//.exec(key.slice(prefix.length))?.[0] ?? [])),
    ];
    const from = Number(query.get("continuation-token") ?? 0);
    const shown = folders
      .slice(from, from + 2)
      .map((name) => `<CommonPrefixes><Prefix>${prefix}${name}</Prefix></CommonPrefixes>`);
    const more =
      from + 2 < folders.length ? `<NextContinuationToken>${from + 2}</NextContinuationToken>` : "";
    return new Response(`<ListBucketResult>${shown.join("")}${more}</ListBucketResult>`);
  }
}

const atS3 = (storage: FakeS3, missing: string[] = []) => {
  const access = missing.length > 0 ? null : ACCESS;
  const harness = backingUp({ backup: { isOn: true, access, missing } });
  harness.network = storage.answer;
  return harness;
};

test("backups go to another storage, and old ones there are removed", async () => {
  await createMember();
  const storage = new FakeS3();
  for (const day of ["20", "21", "22", "23", "24", "25", "26", "27", "28"]) {
    const folder = `backups/2026-11-${day}T030000Z`;
    storage.objects.set(`${folder}/manifest.json`, new Uint8Array([123, 125]));
    storage.objects.set(`${folder}/000001-a & b.jsonl.gz`, new Uint8Array(3));
  }
  const harness = atS3(storage);
  await runToEnd(harness);
  const store = s3Store(ACCESS, storage.answer);
  const manifest = await manifestIn(store, ID);
  const users = manifest.tables.find(({ name }) => name === "users");
  const [slice] = users?.slices ?? [];
  expect(await readLines(store, `backups/${ID}/${slice?.name}`)).toHaveLength(
    await countOf("users"),
  );
  expect(await store.listFolders("backups/")).toEqual(
    ["22", "23", "24", "25", "26", "27", "28"].map((d) => `2026-11-${d}T030000Z`).concat(ID),
  );
  expect([...storage.objects.keys()].filter((key) => key.includes("2026-11-20"))).toEqual([]);
  expect((await env.MEDIA.list({ prefix: "backups/" })).objects).toEqual([]);
  expect(JSON.stringify(manifest)).not.toContain(ACCESS.secretAccessKey);
});

test("a storage that does not answer, and half of its variables, are said in the row", async () => {
  const storage = new FakeS3();
  const harness = atS3(storage);
  const first = await backUp(harness.deps, null);
  storage.isClosed = true;
  const goOn = async () => {
    // A page of an empty table stores nothing.
    for (let cursor = first; cursor !== null; ) cursor = await backUp(harness.deps, cursor);
  };
  await expect(goOn()).rejects.toThrow(/HTTP 503/);
  const errorOf = () => env.DB.prepare("SELECT error FROM backups").first<string>("error");
  expect(await errorOf()).toContain("BACKUP_ENDPOINT answered PUT backups/");
  const half = atS3(storage, ["BACKUP_SECRET_ACCESS_KEY"]);
  await expect(backUp(half.deps, first)).rejects.toThrow(/need BACKUP_SECRET_ACCESS_KEY too/);
  expect(await errorOf()).toContain("BACKUP_SECRET_ACCESS_KEY");
});

test.each([
  ["at once", ["a"]],
  ["in a ring", ["a", "b"]],
])("a storage whose list repeats its pages %s ends with an error", async (_, tokens) => {
  let calls = 0;
  const store = s3Store(ACCESS, async () => {
    const token = tokens[calls++ % tokens.length];
    return new Response(
      `<ListBucketResult><NextContinuationToken>${token}</NextContinuationToken></ListBucketResult>`,
    );
  });
  await expect(store.listFolders("backups/")).rejects.toThrow(/lists backups\/ without an end/);
  expect(calls).toBe(tokens.length + 1);
});
