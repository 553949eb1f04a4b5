import { expect, test } from "vitest";
import { createSwitch, type Door } from "../../src/http/switch.ts";
import { Harness } from "../support/harness.ts";

const saying = (text: string): Door => ({ fetch: () => new Response(text) });

const ask = async (door: Door, path: string) =>
  (await door.fetch(new Request(`https://akimbo.test${path}`))).text();

test("a door is opened by its first request, and stays open for the next", async () => {
  const opened: string[] = [];
  const door = createSwitch(
    (path) => path.split("/")[1] ?? "",
    async (name) => {
      opened.push(name);
      return saying(name);
    },
  );
  expect(await ask(door, "/a/1")).toBe("a");
  expect(await ask(door, "/b")).toBe("b");
  expect(await ask(door, "/a/2?b")).toBe("a");
  expect(opened).toEqual(["a", "b"]);
});

test("a first request whose door never opens keeps no other waiting", async () => {
  let opened = 0;
  const door = createSwitch(
    () => "a",
    () => (opened++ === 0 ? new Promise<Door>(() => {}) : Promise.resolve(saying("a"))),
  );
  ask(door, "/").catch(() => {});
  expect(await ask(door, "/")).toBe("a");
});

test.each(["/constructor", "/__proto__", "/toString/of"])(
  "%s, a name that every object has, is an unknown path (404)",
  async (path) => {
    expect((await new Harness().request(path)).status).toBe(404);
  },
);
