import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { type Config, parseConfig } from "../../../src/config.ts";
import { type Fields, form } from "../../support/harness.ts";
import { jpeg, mp4, openStage } from "../../support/stage.ts";

const PRODUCTION = {
  isDevelopment: false,
  environment: "production",
  publicUrl: null,
  sandboxEnabled: true,
} as const;
const REFUSAL = expect.stringMatching(/domain.*PUBLIC_URL/);

/** The configuration of an instance with these signatures of TikTok. */
const signedBy = (signatures: string): Pick<Config, "siteFiles"> => {
  const keys = { ENCRYPTION_KEYS: `a:${btoa("k".repeat(32))}`, SIGNING_KEY: "s".repeat(32) };
  const variables = { ...keys, TIKTOK_SITE_VERIFICATION: signatures };
  const { siteFiles } = parseConfig({ ENVIRONMENT: "production", ...variables });
  return { siteFiles };
};

/** An account as of the network, none of whose calls is answered, on an instance that is set up like this. */
async function onStage(config: Partial<Config>, mode: "live" | "sandbox" = "live") {
  const stage = await openStage("tiktok");
  await env.DB.prepare("UPDATE accounts SET mode = ? WHERE id = ?")
    .bind(mode, stage.accountId)
    .run();
  const { deps } = stage.harness;
  const calls: string[] = [];
  stage.harness.network = async (input) => {
    calls.push(new Request(input).url);
    return Response.json({}, { status: 400 });
  };
  const configure = (change: Partial<Config>) =>
    Object.assign(deps, { config: { ...deps.config, ...PRODUCTION, ...change } });
  configure(config);
  return { ...stage, calls, configure };
}

const photos = (): Fields => ({ title: "Look", photo: jpeg() });

describe("photos that TikTok has to fetch from us, with no domain known as the owner's", () => {
  test("are refused as they come in, and nobody is called", async () => {
    const stage = await onStage({});
    const answer = await stage.send(photos());
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ field: "photo", message: REFUSAL }] },
    });
    expect(stage.calls).toEqual([]);
  });

  test("are refused in a batch as well", async () => {
    const stage = await onStage({});
    const fields = { ...photos(), accounts: JSON.stringify([stage.accountId]) };
    const { token } = stage.member;
    const answer = await stage.harness.call("POST", "/upload/bulk", { token, body: form(fields) });
    expect(JSON.stringify(answer.body)).toContain("PUBLIC_URL");
    expect(stage.harness.sent).toEqual([]);
  });

  test("are refused by the job where the setting has gone since, and nobody is called", async () => {
    const stage = await onStage({ publicUrl: "https://social.example.com" });
    const id = await stage.post(photos());
    stage.configure({ publicUrl: null });
    await stage.harness.drain();
    expect(await stage.read(id)).toMatchObject({
      status: "failed",
      failure: { code: "media_unreachable" },
      errorMessage: REFUSAL,
    });
    expect(stage.calls).toEqual([]);
  });
});

test.each<[string, Partial<Config>, "live" | "sandbox", () => Fields]>([
  ["photos with PUBLIC_URL", { publicUrl: "https://social.example.com" }, "live", photos],
  ["photos with a signature", signedBy("AbC123xyz"), "live", photos],
  ["photos in development", { isDevelopment: true }, "live", photos],
  ["photos of a sandbox account", {}, "sandbox", photos],
  ["a video", {}, "live", () => ({ title: "Look", video: mp4() })],
])("%s are taken", async (_, config, mode, fields) => {
  const stage = await onStage(config, mode);
  expect(await stage.send(fields())).toMatchObject({ body: { success: true } });
});

describe("TikTok's signature file", () => {
  test("stands at the root under its name, with its text", async () => {
    const { harness, configure } = await onStage({});
    configure(signedBy("AbC123xyz,DeF456uvw"));
    for (const signature of ["AbC123xyz", "DeF456uvw"]) {
      const reply = await harness.request(`/tiktok${signature}.txt`);
      expect(reply.status).toBe(200);
      expect(reply.headers.get("content-type")).toMatch(/^text\/plain/);
      expect(await reply.text()).toBe(`tiktok-developers-site-verification=${signature}`);
    }
  });

  test.each([
    "/tiktokOther123.txt",
    "/tiktok.txt",
    "/tiktokAbC123xyz.html",
    "/media/tiktokAbC123xyz.txt",
  ])("%s is not there", async (path) => {
    const { harness } = await onStage(signedBy("AbC123xyz"));
    expect((await harness.request(path)).status).toBe(404);
  });
});

describe("the health of an instance whose owner has an app at TikTok", () => {
  const appKeys = { tiktok: { clientId: "key", clientSecret: "secret" } };
  const warningsOf = async (config: Partial<Config>) => {
    const { harness } = await onStage(config);
    return ((await (await harness.request("/health")).json()) as { warnings: string[] }).warnings;
  };

  test.each<[string, Partial<Config>, unknown[]]>([
    ["no domain is known", { appKeys }, [expect.stringMatching(/^tiktok: .*PUBLIC_URL/)]],
    ["PUBLIC_URL is set", { appKeys, publicUrl: "https://social.example.com" }, []],
    ["there is no such app", { appKeys: {} }, []],
  ])("warns as needed where %s", async (_, config, expected) => {
    expect((await warningsOf(config)).filter((text) => text.startsWith("tiktok: TikTok"))).toEqual(
      expected,
    );
  });
});
