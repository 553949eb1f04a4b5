import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { readCompleteBody } from "../../../src/features/presign/complete-body.ts";
import { createMember, Harness, type Member } from "../../support/harness.ts";
import { completeAt, type Presigned, partList, putParts } from "../../support/presigned.ts";
import { putToStorage } from "../../support/storage.ts";

const SIZE = 16 * 1024 * 1024 + 1_000;
const bytes = new Uint8Array(SIZE).fill(7);

let harness: Harness;
let member: Member;
let file: Presigned;

const keyOf = ({ bucketUrl }: Presigned) => new URL(bucketUrl).pathname.slice("/storage/".length);

async function presign(): Promise<Presigned> {
  const answer = await harness.call("POST", "/upload/presign", {
    token: member.token,
    json: { route: "tiktok_videos", files: [{ name: "a.mp4", size: SIZE, type: "video/mp4" }] },
  });
  return answer.body.files[0];
}

const complete = (list: string, url: string = file.multipart.completeUrl) =>
  completeAt(harness, url, list);
const abort = (url: string = file.multipart.abortUrl) =>
  harness.request(url.slice(new URL(url).origin.length), { method: "DELETE" });

const readRefusal = async (answer: Response) => [
  answer.status,
  /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1],
];

const change = (statement: string) => env.DB.prepare(statement).bind(member.userId).run();

beforeEach(async () => {
  harness = new Harness();
  member = await createMember();
  file = await presign();
});

describe("completing", () => {
  test("puts the parts together, under the declared type; doing it again changes nothing", async () => {
    const list = partList(await putParts(file, bytes));
    const first = await complete(list);
    expect(first.status).toBe(200);
    expect(first.headers.get("content-type")).toBe("application/xml");
    const xml = await first.text();
    expect(xml).toContain(`<Location>${file.bucketUrl}</Location>`);
    const object = await env.MEDIA.head(keyOf(file));
    expect(object?.size).toBe(SIZE);
    expect(object?.httpMetadata?.contentType).toBe("video/mp4");
    const second = await complete(list);
    expect(second.status).toBe(200);
    expect(await second.text()).toBe(xml);
    expect((await abort()).status).toBe(409);
    expect(await env.MEDIA.head(keyOf(file))).not.toBeNull();
    expect(await readRefusal(await complete("<x/>"))).toEqual([400, "MalformedXML"]);
  });

  test("works once the first answer was lost before it was noted", async () => {
    const list = partList(await putParts(file, bytes));
    await complete(list);
    await env.DB.prepare("UPDATE presigns SET completed_at = NULL WHERE object_key = ?")
      .bind(keyOf(file))
      .run();
    expect((await complete(list)).status).toBe(200);
    expect((await abort()).status).toBe(409);
  });

  test("ten times at once: each is answered the same", async () => {
    const list = partList(await putParts(file, bytes));
    const answers = await Promise.all(Array.from({ length: 10 }, () => complete(list)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(texts).size).toBe(1);
  });

  test("refuses a list that is not that of all parts, and the right one is taken after it", async () => {
    const parts = await putParts(file, bytes);
    const [one, two] = parts as [(typeof parts)[0], (typeof parts)[0]];
    const wrong: [string, string][] = [
      [partList([two, one]), "InvalidPartOrder"],
      [partList([one, one]), "InvalidPartOrder"],
      [partList([one]), "InvalidPart"],
      [partList([two]), "InvalidPart"],
      [partList([]), "InvalidPart"],
      [partList([one, two, { ...two, partNumber: 3 }]), "InvalidPart"],
      [partList([one, { ...two, etag: one.etag }]), "InvalidPart"],
      [partList([one, { ...two, etag: "0".repeat(32) }]), "InvalidPart"],
      ["", "MalformedXML"],
      [partList(parts).slice(0, -1), "MalformedXML"],
      [`<!DOCTYPE x [<!ENTITY a "b">]>${partList(parts)}`, "MalformedXML"],
    ];
    for (const [list, code] of wrong)
      expect(await readRefusal(await complete(list))).toEqual([400, code]);
    expect((await complete(partList(parts))).status).toBe(200);
  });

  test("refuses what was not put yet", async () => {
    const [first] = file.multipart.parts;
    const put = await putToStorage(first.uploadUrl, bytes.slice(0, first.size));
    const etag = put.headers.get("etag")?.replaceAll('"', "") ?? "";
    const list = partList([1, 2].map((partNumber) => ({ partNumber, etag })));
    expect(await readRefusal(await complete(list))).toEqual([400, "InvalidPart"]);
  });

  test.each<[string, () => Promise<unknown>]>([
    ["has left the team", () => change("DELETE FROM members WHERE user_id = ?")],
    ["was deactivated", () => change("UPDATE members SET is_active = 0 WHERE user_id = ?")],
    ["had the token revoked", () => change("UPDATE tokens SET revoked_at = 1 WHERE user_id = ?")],
  ])("is refused where its sender %s since, before or meanwhile", async (_, end) => {
    const list = partList(await putParts(file, bytes));
    const { media } = harness.deps;
    const other = new Harness({
      media: new Proxy(media, {
        get: (target, name) => {
          if (name !== "resumeMultipartUpload") return Reflect.get(target, name).bind(target);
          return (...args: [string, string]) => {
            const upload = target.resumeMultipartUpload(...args);
            const complete: typeof upload.complete = async (parts) => {
              const object = await upload.complete(parts);
              await end();
              return object;
            };
            return { ...upload, complete };
          };
        },
      }),
    });
    const meanwhile = await completeAt(other, file.multipart.completeUrl, list);
    expect(await readRefusal(meanwhile)).toEqual([403, "AccessDenied"]);
    expect(await env.MEDIA.head(keyOf(file))).toBeNull();
    expect((await complete(list)).status).toBe(410);
  });

  test("refuses a body past 1 MB, and reads no more of it (413)", async () => {
    expect((await complete(" ".repeat(1_000_001))).status).toBe(413);
  });

  test("after an abort is over (410)", async () => {
    const list = partList(await putParts(file, bytes));
    expect((await abort()).status).toBe(204);
    expect((await abort()).status).toBe(204);
    expect(await readRefusal(await complete(list))).toEqual([410, "NoSuchUpload"]);
    expect(await env.MEDIA.head(keyOf(file))).toBeNull();
  });

  test("against an abort at the same moment: one of them holds", async () => {
    const list = partList(await putParts(file, bytes));
    const [completed, aborted] = await Promise.all([complete(list), abort()]);
    const object = await env.MEDIA.head(keyOf(file));
    if (aborted.status === 204) expect([completed.status, object]).toEqual([410, null]);
    else expect([completed.status, aborted.status, object?.size]).toEqual([200, 409, SIZE]);
  });
});

describe("the addresses", () => {
  test.each<[string, (url: string, other: string) => string]>([
    [
      "another upload's id",
      (url, other) => url.replace(/complete\/\d+/, /complete\/\d+/.exec(other)?.[0] ?? ""),
    ],
    [
      "a later expiry",
      (url) => url.replace(/expires=(\d+)/, (_, at) => `expires=${Number(at) + 1}`),
    ],
    ["no expiry", (url) => url.replace(/expires=\d+&/, "")],
    ["another signature", (url) => url.replace(/signature=../, "signature=00")],
    ["no signature", (url) => url.replace(/&signature=.*/, "")],
    [
      "the abortUrl's signature",
      (url) =>
        url.replace(/signature=\w+/, /signature=\w+/.exec(file.multipart.abortUrl)?.[0] ?? ""),
    ],
  ])("are refused with %s (403)", async (_, change) => {
    const list = partList(await putParts(file, bytes));
    const other = await presign();
    const url = change(file.multipart.completeUrl, other.multipart.completeUrl);
    expect(await readRefusal(await complete(list, url))).toEqual([403, "AccessDenied"]);
    expect(await env.MEDIA.head(keyOf(file))).toBeNull();
  });

  test("end after six hours", async () => {
    const list = partList(await putParts(file, bytes));
    harness.advance(6 * 3_600);
    expect(await readRefusal(await complete(list))).toEqual([403, "AccessDenied"]);
    expect(await readRefusal(await abort())).toEqual([403, "AccessDenied"]);
  });

  const pathOf = (url: string) => url.slice(new URL(url).origin.length);

  test("take their own method alone (405)", async () => {
    const { completeUrl, abortUrl } = file.multipart;
    const wrong: [string, string, string][] = [
      [completeUrl, "POST", "DELETE"],
      [completeUrl, "POST", "GET"],
      [completeUrl, "POST", "PUT"],
      [abortUrl, "DELETE", "POST"],
      [abortUrl, "DELETE", "GET"],
    ];
    for (const [url, allowed, method] of wrong) {
      const answer = await harness.request(pathOf(url), { method });
      expect(answer.headers.get("allow")).toBe(allowed);
      expect(await readRefusal(answer)).toEqual([405, "MethodNotAllowed"]);
    }
  });

  test("are refused when their id is none (403)", async () => {
    const { completeUrl } = file.multipart;
    for (const id of ["0", "x", "9".repeat(20), "1/2"]) {
      const changed = pathOf(completeUrl).replace(/\/\d+\?/, `/${id}?`);
      const answer = await harness.request(changed, { method: "POST" });
      expect(await readRefusal(answer)).toEqual([403, "AccessDenied"]);
    }
  });

  test("may be called by pages of any origin, which may read a refusal too", async () => {
    for (const [url, method] of [
      [file.multipart.completeUrl, "POST"],
      [file.multipart.abortUrl, "DELETE"],
    ]) {
      const preflight = await harness.request(pathOf(url), {
        method: "OPTIONS",
        headers: {
          origin: "https://page.test",
          "access-control-request-method": method ?? "",
          "access-control-request-headers": "content-type",
        },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
      expect(preflight.headers.get("access-control-allow-methods")).toContain(method);
      expect(preflight.headers.get("access-control-allow-headers")).toBe("content-type");
    }
    const refused = await complete("");
    expect(refused.status).toBe(400);
    expect(refused.headers.get("access-control-allow-origin")).toBe("*");
  });
});

test("the bytes of a part have the length that is signed, and no other", async () => {
  const [first, last] = file.multipart.parts;
  expect((await putToStorage(last.uploadUrl, bytes.slice(0, last.size + 1))).status).toBe(403);
  expect((await putToStorage(last.uploadUrl, bytes.slice(0, last.size - 1))).status).toBe(403);
  const swapped = last.uploadUrl.replace("partNumber=2", "partNumber=1");
  expect((await putToStorage(swapped, bytes.slice(0, last.size))).status).toBe(403);
  harness.advance(6 * 3_600 + 1);
  expect((await putToStorage(first.uploadUrl, bytes.slice(0, first.size))).status).toBe(403);
});

describe("the list of parts", () => {
  const part = (inside: string) =>
    `<CompleteMultipartUpload><Part>${inside}</Part></CompleteMultipartUpload>`;
  const good = [{ partNumber: 1, etag: "abc" }];

  test.each([
    part("<ETag>abc</ETag><PartNumber>1</PartNumber>"),
    part("<PartNumber>1</PartNumber><ETag>&quot;abc&quot;</ETag>"),
    part(
      '\n <ETag>"abc"</ETag>\n <ChecksumCRC32>AAAA==</ChecksumCRC32><PartNumber>1</PartNumber>\n',
    ),
    `<?xml version="1.0" encoding="UTF-8"?>\n${part("<ETag>abc</ETag><PartNumber>1</PartNumber>")}\n`,
  ])("is read as clients write it: %s", (xml) => {
    expect(readCompleteBody(xml)).toEqual(good);
  });

  test.each([
    part("<ETag>abc</ETag>"),
    part("<PartNumber>1</PartNumber>"),
    part("<ETag>abc</ETag><PartNumber>0</PartNumber>"),
    part("<ETag>abc</ETag><PartNumber>1.5</PartNumber>"),
    part("<ETag>abc</ETag><ETag>abd</ETag><PartNumber>1</PartNumber>"),
    part("<ETag><![CDATA[abc]]></ETag><PartNumber>1</PartNumber>"),
    part("<ETag>&a;</ETag><PartNumber>1</PartNumber>"),
    `${part("<ETag>abc</ETag><PartNumber>1</PartNumber>")}<x/>`,
    "not XML",
  ])("is refused as anything else: %s", (xml) => {
    expect(readCompleteBody(xml)).toBeNull();
  });

  test("of hostile length is judged in linear time", () => {
    const started = performance.now();
    for (const piece of ["<Part>", " ", "<ETag>", "<?xml", '<CompleteMultipartUpload xmlns="'])
      expect(readCompleteBody(`<CompleteMultipartUpload>${piece.repeat(150_000)}`)).toBeNull();
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
