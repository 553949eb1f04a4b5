import { type Context, Hono } from "hono";
import { invalidFields } from "../../core/errors.ts";
import { SECOND } from "../../core/time.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Deps } from "../../deps.ts";
import { renderPage } from "../../pages/layout.tsx";
import { readBody } from "../kit/input.ts";
import { theSandbox } from "../state.ts";
import { type Arrival, RECEIVER_ANSWERS, type ReceiverAnswer } from "./inbox.ts";
import { RECEIVER_STYLES, ReceiverPage } from "./page.tsx";

const MAX_BODY_BYTES = 256_000;
const MAX_FORM_BYTES = 10_000;
/** One second longer than the sender waits. */
const TIMEOUT_MS = 11 * SECOND;

/** The secrets that `POST /webhooks` accepts. */
const SECRET = /^[\x21-\x7e]{16,255}$/;

const isAnswer = (text: string): text is ReceiverAnswer =>
  RECEIVER_ANSWERS.some((answer) => answer === text);

const refuse = (field: string, what: string) =>
  invalidFields([{ field, message: `${field}: ${what}` }]);

function toWireArrival({ body, ...arrival }: Arrival) {
  return { ...arrival, isTrusted: arrival.problem === null, body };
}

/** Loopback when the URL policy refuses the server's origin. */
function reachableOrigin(url: string): string {
  const { origin, port } = new URL(url);
  const isReachable = refusedUrl(origin, { allowHttp: true, allowLoopback: true }) === null;
  return isReachable ? origin : `http://127.0.0.1:${port || "80"}`;
}

/** For development only. */
export function createReceiverRoutes(depsOf: (c: Context) => Deps): Hono {
  const app = new Hono();
  const sandbox = (c: Context) => theSandbox(depsOf(c).sandbox);
  const addressOf = (c: Context): string =>
    `${depsOf(c).config.publicUrl ?? reachableOrigin(c.req.url)}/sandbox/webhook`;

  app.post("/webhook", async (c) => {
    const bytes = await readBody(c.req.raw, MAX_BODY_BYTES);
    if (!bytes) return c.text("The body is larger than an event.", 413);
    const delivery = {
      event: c.req.header("x-webhook-event") ?? null,
      id: c.req.header("x-webhook-id") ?? null,
      timestamp: c.req.header("x-webhook-timestamp") ?? null,
      signature: c.req.header("x-webhook-signature") ?? null,
      body: new TextDecoder().decode(bytes),
    };
    const { now, wait } = depsOf(c);
    const answer = await sandbox(c).takeWebhook(delivery, now());
    if (answer === "500") return c.text("The receiver is set to fail.", 500);
    if (answer === "redirect") return c.redirect(addressOf(c));
    if (answer === "timeout") await wait(TIMEOUT_MS);
    return c.text("ok");
  });

  app.get("/webhook", async (c) => {
    const state = await sandbox(c).readReceiver();
    return renderPage(
      c,
      { title: "Webhook receiver", styles: RECEIVER_STYLES, hasForms: true },
      <ReceiverPage {...state} address={addressOf(c)} />,
    );
  });

  app.post("/webhook/settings", async (c) => {
    const bytes = await readBody(c.req.raw, MAX_FORM_BYTES);
    const form = new URLSearchParams(new TextDecoder().decode(bytes ?? new Uint8Array()));
    const secret = form.get("secret")?.trim() ?? "";
    const answer = form.get("answer") ?? "";
    if (!SECRET.test(secret)) {
      throw refuse("secret", "must be 16 to 255 ASCII characters, without spaces.");
    }
    if (!isAnswer(answer)) throw refuse("answer", `must be one of ${RECEIVER_ANSWERS.join(", ")}.`);
    await sandbox(c).changeReceiver({ secret, answer });
    return c.redirect("/sandbox/webhook", 303);
  });

  app.get("/api/webhook", async (c) => {
    const { receiver, arrivals } = await sandbox(c).readReceiver();
    c.header("Cache-Control", "no-store");
    return c.json({
      success: true,
      url: addressOf(c),
      ...receiver,
      arrivals: arrivals.map(toWireArrival),
    });
  });

  return app;
}
