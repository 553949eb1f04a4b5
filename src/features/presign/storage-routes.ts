import { Hono } from "hono";
import { AppError } from "../../core/errors.ts";
import { bodyOf } from "../../http/body.ts";
import { countVisitor } from "../../http/caller.ts";
import { type AppContext, type AppEnv, publicOrigin } from "../../http/env.ts";
import { toRefusal } from "../../http/errors.ts";
import { objectUrls } from "./address.ts";
import { abortUpload, completeUpload, storageRefusal } from "./end-upload.ts";
import { judgeStorageCall, STORAGE_ACTIONS, type StorageAction } from "./signature.ts";

export const storageRoutes = new Hono<AppEnv>();

/** Enough for 10,000 parts with short ETags. */
const MAX_XML_BYTES = 1_000_000;

const METHODS: Record<StorageAction, "POST" | "DELETE"> = { complete: "POST", abort: "DELETE" };

for (const action of STORAGE_ACTIONS) {
  storageRoutes.on(METHODS[action], `/storage/${action}/:id{[1-9][0-9]{0,14}}`, async (c) => {
    const id = Number(c.req.param("id"));
    await requireGoodCall(c, action, id);
    if (action === "complete") return complete(c, id);
    await abortUpload(c.var.deps, id);
    return c.body(null, 204);
  });
}

/** @throws AppError 403 for a forged or expired address */
async function requireGoodCall(c: AppContext, action: StorageAction, id: number): Promise<void> {
  await countVisitor(c, "presign-address");
  const { expires = "", signature = "" } = c.req.query();
  const call = { action, id, expires: /^\d{1,12}$/.test(expires) ? Number(expires) : 0 };
  const verdict = await judgeStorageCall(c.var.deps, call, signature);
  if (verdict === "good") return;
  if (verdict === "forged") throw changedAddress();
  const message = "This address has expired. Presign the file again.";
  throw storageRefusal(403, "AccessDenied", message);
}

const changedAddress = () =>
  storageRefusal(403, "AccessDenied", "This address was changed. Use it as you got it.");

async function complete(c: AppContext, id: number): Promise<Response> {
  const body = await bodyOf(c.req.raw).readAll(MAX_XML_BYTES, async () => {});
  const { objectKey, etag } = await completeUpload(c.var.deps, id, new TextDecoder().decode(body));
  const { bucketUrl } = objectUrls(publicOrigin(c.var.deps, c.req.url), objectKey);
  return toXml(c, 200, "CompleteMultipartUploadResult", {
    Location: bucketUrl,
    Key: objectKey,
    ETag: `"${etag}"`,
  });
}

for (const action of STORAGE_ACTIONS) {
  storageRoutes.all(`/storage/${action}/*`, async (c) => {
    await countVisitor(c, "presign-address");
    const Allow = METHODS[action];
    // The id in the path is not a number.
    if (c.req.method === Allow) throw changedAddress();
    const message = `This address answers ${Allow}, not ${c.req.method}.`;
    throw storageRefusal(405, "MethodNotAllowed", message, { Allow });
  });
}

storageRoutes.all("/storage/presigned/*", async (c) => {
  await countVisitor(c, "media");
  const message =
    "Files here are private. Pass the address to POST /upload, or use its accessUrl. Bytes are put to its uploadUrl.";
  throw storageRefusal(401, "AccessDenied", message);
});

export function renderStorageError(error: unknown, c: AppContext): Response {
  const refusal = toRefusal(error, c);
  const { status, headers, extras, code, message } = refusal;
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  const Code = String(
    extras.storageCode ?? (code === "RATE_LIMIT" ? "SlowDown" : (code ?? "InvalidRequest")),
  );
  return toXml(c, status, "Error", { Code, Message: message, RequestId: c.var.requestId });
}

const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

function toXml(
  c: AppContext,
  status: number,
  name: string,
  fields: Record<string, string>,
): Response {
  const inside = Object.entries(fields).map(([tag, text]) => `<${tag}>${escapeXml(text)}</${tag}>`);
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<${name}>${inside.join("")}</${name}>`;
  return c.body(xml, status as 200, { "Content-Type": "application/xml" });
}

export const refuseOther = (c: AppContext): never => {
  throw new AppError(null, `Nothing is at ${c.req.path}.`, {
    status: 404,
    extras: { storageCode: "NoSuchUpload" },
  });
};
