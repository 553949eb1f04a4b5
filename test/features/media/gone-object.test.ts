import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { form } from "../../support/harness.ts";
import { openAccount, photo } from "../../support/stage.ts";

/** What a restore without the files leaves: rows whose objects are gone. */
async function loseObjects(): Promise<void> {
  const { results } = await env.DB.prepare("SELECT object_key FROM media").all();
  await env.MEDIA.delete(results.map(({ object_key }) => String(object_key)));
}

const keysOf = async (team: number): Promise<string[]> =>
  (await env.MEDIA.list({ prefix: `media/${team}/` })).objects.map(({ key }) => key);

test("a file whose object is gone is stored when it is sent again, also for posts that wait for it", async () => {
  const stage = await openAccount();
  const { harness, member } = stage;
  const file = photo();
  const schedule_date = new Date(harness.deps.now().getTime() + 3_600_000).toISOString();
  const planned = await stage.post({ description: "Planned", photo: file, schedule_date });
  await loseObjects();
  const again = await stage.post({ description: "Sent again", photo: file });
  await harness.drain();
  expect(await stage.read(again)).toMatchObject({ status: "completed" });
  harness.advance(3_700);
  await harness.tick();
  await harness.drain();
  expect(await stage.read(planned)).toMatchObject({ status: "completed" });
  expect(await keysOf(member.teamId)).toHaveLength(1);
});

test("a known file is kept once, and the library and pools bring a lost one back", async () => {
  const stage = await openAccount();
  const { harness, member, accountId } = stage;
  const { token } = member;
  const file = photo();
  const add = () => harness.call("POST", "/media", { token, body: form({ file, keep: "true" }) });
  expect((await add()).status).toBe(200);
  expect((await add()).status).toBe(200);
  await harness.drain();
  const [before] = await keysOf(member.teamId);
  expect(await keysOf(member.teamId)).toEqual([before]);
  await loseObjects();
  expect((await add()).status).toBe(200);
  await harness.drain();
  expect(await keysOf(member.teamId)).toHaveLength(1);
  await loseObjects();
  const slots = [{ time: "09:30", days: [1], accountIds: [accountId] }];
  const json = { name: "Tips", timezone: "UTC", slots };
  const { body } = await harness.call("POST", "/pools", { token, json });
  const path = `/pools/${body.pool.id}/videos`;
  const item = form({ title: "A tip", photo: file });
  expect((await harness.call("POST", path, { token, body: item })).status).toBe(200);
  await harness.drain();
  expect(await keysOf(member.teamId)).toHaveLength(1);
});

test("two calls that bring the same lost file back at once leave one object, and both posts go out", async () => {
  const stage = await openAccount();
  const { harness, member } = stage;
  const file = photo();
  await stage.post({ description: "Before", photo: file });
  await harness.drain();
  await loseObjects();
  const ids = await Promise.all(
    ["One", "Two"].map((description) => stage.post({ description, photo: file })),
  );
  await harness.drain();
  for (const id of ids) expect(await stage.read(id)).toMatchObject({ status: "completed" });
  expect(await keysOf(member.teamId)).toHaveLength(1);
});

test("a storage that does not answer whether the object is there fails no call", async () => {
  const stage = await openAccount();
  const { harness } = stage;
  const file = photo();
  await stage.post({ description: "Before", photo: file });
  await harness.drain();
  const { media } = harness.deps;
  harness.deps.media = new Proxy(media, {
    get(target, name) {
      if (name === "head") return () => Promise.reject(new Error("R2 is down"));
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const again = await stage.post({ description: "Meanwhile", photo: file });
  await harness.drain();
  expect(await stage.read(again)).toMatchObject({ status: "completed" });
});
