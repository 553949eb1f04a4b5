import { expect, test } from "vitest";
import { now } from "../../../src/core/clock.ts";
import { sign } from "../../../src/core/signature.ts";
import { read } from "../../../src/platforms/tiktok/webhook.ts";

const SECRET = "app secret";
const REMOVED = {
  client_key: "bwo2m45353a6k85",
  event: "authorization.removed",
  create_time: 1_615_338_610,
  user_openid: "-000abc",
  content: '{"reason": 1 }',
};

const secondsNow = () => Math.floor(now().getTime() / 1_000);

interface Sent {
  body?: string;
  sentAt?: number;
  secret?: string;
  /** The signed body, where it differs. */
  signed?: string;
}

async function reading({
  body = JSON.stringify(REMOVED),
  sentAt = secondsNow(),
  secret = SECRET,
  signed = body,
}: Sent = {}) {
  const signature = await sign(secret, `${sentAt}.${signed}`);
  const headers = new Headers({ "tiktok-signature": `t=${sentAt},s=${signature}` });
  return read({ headers, body }, SECRET);
}

const bodyWith = (change: object) => JSON.stringify({ ...REMOVED, ...change });
const AT = new Date(1_615_338_610_000);

test.each<[string, string, string | null]>([
  ["a person who took the consent back", bodyWith({}), "-000abc"],
  ["an account that was deleted", bodyWith({ content: '{"reason":2}' }), "-000abc"],
  ["no reason", bodyWith({ content: undefined }), "-000abc"],
  ["a reason that cannot be read", bodyWith({ content: "{" }), "-000abc"],
  ["our own revocation", bodyWith({ content: '{"reason":5}' }), null],
  ["another event", bodyWith({ event: "video.publish.completed" }), null],
  ["nobody", bodyWith({ user_openid: undefined }), null],
])("reads %s", async (_, body, platformUserId) => {
  expect(await reading({ body })).toEqual({ platformUserId, at: AT });
});

test("takes in what it does not know", async () => {
  for (const body of ["[]", "no JSON", "{}"]) {
    expect(await reading({ body })).toEqual({ platformUserId: null, at: null });
  }
});

test.each<[string, () => Sent]>([
  ["another secret", () => ({ secret: "another" })],
  ["another body", () => ({ signed: bodyWith({ user_openid: "somebody else" }) })],
  ["four days ago", () => ({ sentAt: secondsNow() - 4 * 86_400 })],
  ["an hour from now", () => ({ sentAt: secondsNow() + 3_600 })],
])("refuses what was signed with or for %s", async (_, sent) => {
  expect(await reading(sent())).toBeNull();
});

test("is still read when TikTok sends it again for two days", async () => {
  expect(await reading({ sentAt: secondsNow() - 2 * 86_400 })).toMatchObject({ at: AT });
});

test.each(["", "t=1", "s=00", `t=1,s=${"g".repeat(64)}`, `t=1;s=${"0".repeat(64)}`])(
  "refuses the signature %s",
  async (signature) => {
    const headers = new Headers({ "tiktok-signature": signature });
    expect(await read({ headers, body: JSON.stringify(REMOVED) }, SECRET)).toBeNull();
  },
);
