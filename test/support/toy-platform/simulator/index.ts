import * as z from "zod";
import { keepFile, storeFile } from "../kit/files.ts";
import { bearerOf, readJson } from "../kit/input.ts";
import { sandboxCredentials } from "../kit/login.ts";
import { digitsOf, Logins } from "../kit/logins.ts";
import { Refusal } from "../kit/refusal.ts";
import { type Call, createApp, createSimulator, deliver, idOf } from "../kit/simulator.ts";
import { type SteeredRefusals, steer } from "../kit/steered.ts";

const refuse = (status: number) => new Refusal(status, { error: `HTTP ${status}` });

const REFUSALS: SteeredRefusals = {
  expiredToken: () => refuse(401),
  serverError: () => refuse(503),
  failures: {},
};

const TOY_PASSWORD = "toys";

/** A login that the connector's own succeeds with. */
export const toyLogin = (name: string) => ({
  identifier: name,
  appPassword: TOY_PASSWORD,
});

const readOptions = {
  maxBytes: 10_000,
  wrongType: () => refuse(415),
  notJson: () => refuse(400),
  invalid: () => refuse(422),
};

const loginInput = z.strictObject({ identifier: z.string(), password: z.literal(TOY_PASSWORD) });

async function logIn(call: Call): Promise<Response> {
  const { identifier } = await readJson(call, loginInput, readOptions);
  return Response.json({ token: sandboxCredentials("mastotoy", identifier).accessToken });
}

async function authenticate({ req, env: { store, origin } }: Call) {
  const token = bearerOf({ req }) ?? "";
  const name = new Logins(store.sql, "mastotoy", origin).liveNameOf(token, "access");
  if (name === null) throw refuse(401);
  return { token, name, id: await digitsOf("mastotoy", name, 12) };
}

async function readMe(call: Call): Promise<Response> {
  const { id, name } = await authenticate(call);
  return Response.json({ id, username: name });
}

async function addFile(call: Call): Promise<Response> {
  const file = { platform: "mastotoy", owner: (await authenticate(call)).id } as const;
  const stored = await storeFile(call.env, file, call.req.raw.body, 8_000_000);
  if (stored === "too_large") throw refuse(413);
  const id = keepFile(call.env, file, stored, (mime) => mime.startsWith("image/"));
  if (id === null) throw refuse(415);
  return Response.json({ id });
}

const input = z.strictObject({
  key: z.string(),
  text: z.string().max(500),
  visibility: z.enum(["public", "followers"]).nullable(),
  files: z.array(z.int()).max(4),
});

const statusOf = (name: string, key: string) => ({
  id: key,
  url: `https://mastotoy.test/@${encodeURIComponent(name)}/${key}`,
});

/** The key is the caller's: a repeat is the same post. */
async function createStatus(call: Call): Promise<Response> {
  const { name, token, id } = await authenticate(call);
  const { key, files, ...fields } = await readJson(call, input, readOptions);
  const { text } = fields;
  const reply = steer(call.env, REFUSALS, { key: id, text, token });
  const status = statusOf(name, key);
  call.env.store.savePost(call.env.origin, {
    ...{ platform: "mastotoy", key, version: JSON.stringify(fields), author: name, text, fields },
    media: files.map((file) => ({ id: file, alt: "" })),
    url: status.url,
  });
  return deliver(reply, Response.json(status));
}

async function readStatus(call: Call): Promise<Response> {
  const { name } = await authenticate(call);
  if (!call.env.store.findPost("mastotoy", idOf(call))) throw refuse(404);
  return Response.json(statusOf(name, idOf(call)));
}

const app = createApp(() => refuse(404));

app
  .basePath("/mastotoy.test/api")
  .post("/login", logIn)
  .get("/me", readMe)
  .post("/media", addFile)
  .post("/statuses", createStatus)
  .get("/statuses/:id", readStatus);

export const mastotoySimulator = createSimulator([], app);
