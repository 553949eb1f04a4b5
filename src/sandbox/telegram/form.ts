import { readBody } from "../kit/input.ts";
import type { Call } from "../kit/simulator.ts";
import { readStreamedForm, type SentForm } from "../kit/streamed-form.ts";
import { badRequest, parseJson, tooLarge } from "./call.ts";

/** Source: Bot API server, HttpReader.h: parameters without files. */
const MAX_PARAMETER_BYTES = 1_048_576;

/** Source: Bot API, "Sending files": 50 MB. */
const MAX_FILE_BYTES = 52_428_800;

export const FILES = { platform: "telegram", owner: "uploads" } as const;

export type Form = Pick<SentForm, "files"> & { fields: Record<string, unknown> };

export async function readParameters(call: Call): Promise<Form> {
  const type = call.req.header("content-type") ?? "";
  if (type.startsWith("multipart/form-data")) {
    const limits = { fieldSize: MAX_PARAMETER_BYTES, fileSize: MAX_FILE_BYTES };
    const form = await readStreamedForm(call, FILES, limits);
    if (form === "too_large") throw tooLarge();
    if (form === "malformed") throw badRequest("can't parse multipart form data");
    return form;
  }
  const bytes = await readBody(call.req.raw, MAX_PARAMETER_BYTES);
  if (!bytes) throw tooLarge();
  const fields = parseJson(new TextDecoder().decode(bytes));
  if (typeof fields !== "object" || fields === null) throw badRequest("can't parse JSON object");
  return { fields: { ...fields }, files: new Map() };
}
