import { AppError, tooLarge } from "../core/errors.ts";
import { REPLACED_BYTES } from "../core/text.ts";
import { bodyOf, SMALL_BODY_BYTES } from "./body.ts";
import { readPlainForm } from "./plain-form.ts";

const MAX_PARTS = 64;
/** Limits the fields, headers and boundaries of a form, without its files. */
const MAX_TEXT_BYTES = 1_000_000;

/** The longest stored text has 70,000 characters of at most four bytes. */
const MAX_FIELD_BYTES = 300_000;

export const LIMITS = {
  fieldNameSize: 100,
  fieldSize: MAX_FIELD_BYTES,
  headerPairs: 20,
} as const;

export interface FilePart {
  field: string;
  name: string;
  bytes: AsyncIterable<Uint8Array>;
}

/** All values, in order. `photo[]` counts as `photo`. */
export type Fields = ReadonlyMap<string, readonly string[]>;

export const lastOf = (fields: Fields, name: string): string | undefined =>
  fields.get(name)?.at(-1);

interface FormTaker {
  /** The default is 64. */
  maxParts?: number;
  /** Called in the order of the form. */
  onPart?(field: string, isFile: boolean): void;
  /** Awaited once before the rest of a large body is read. */
  onLarge(): Promise<unknown>;
  /** Must read the file to its end. */
  onFile(part: FilePart, soFar: Fields): Promise<void>;
}

/**
 * Never holds a file in memory.
 *
 * @throws AppError UNSUPPORTED_MEDIA_TYPE, 400 for a broken or truncated body, 413, and errors of
 * `taker`
 */
export async function readForm(request: Request, taker: FormTaker): Promise<Fields> {
  const fields = new Map<string, string[]>();
  const contentType = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(contentType) || !request.body) {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Send the body as multipart/form-data.");
  }
  const body = bodyOf(request);
  const small = await body.readSmall();
  const { maxParts = MAX_PARTS } = taker;
  const plain = small && readPlainForm(contentType, small);
  if (plain && plain.length <= maxParts) {
    for (const [name, text] of plain) {
      taker.onPart?.(fieldName(name), false);
      addField(fields, name, text);
    }
    return fields;
  }
  const parser = await createParser(contentType, maxParts);
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  let reading = Promise.resolve();
  let isOver = false;
  let fileBytes = 0;

  const fail = (error: unknown) => {
    if (isOver) return;
    isOver = true;
    parser.destroy(new Error("The body is not read any further."));
    // Waits for the current file, so that the caller's cleanup includes it.
    const refuse = () => reject(toRefusal(error));
    reading.then(refuse, refuse);
  };
  parser.on("field", (name, value, info) => {
    const called = `The field ${fieldName(name).slice(0, 50)}`;
    if (info.valueTruncated || info.nameTruncated) return fail(broken(`${called} is too long.`));
    // busboy has no value for an unknown character set.
    if (value === undefined) {
      return fail(broken(`${called} is in another character set. Send UTF-8.`));
    }
    if (value.includes(REPLACED_BYTES)) {
      return fail(broken(`${called} has bytes that are not UTF-8. Send UTF-8.`));
    }
    taker.onPart?.(fieldName(name), false);
    addField(fields, name, value);
  });
  parser.on("file", (name, stream, info) => {
    taker.onPart?.(fieldName(name), true);
    stream.on("error", () => {});
    const push = stream.push.bind(stream);
    stream.push = (chunk: Uint8Array | null) => {
      fileBytes += chunk?.length ?? 0;
      return push(chunk);
    };
    const part = { field: fieldName(name), name: info.filename ?? "", bytes: stream };
    reading = reading.then(async () => {
      if (isOver) return;
      await taker.onFile(part, fields);
      stream.resume();
    });
    reading.catch(fail);
  });
  parser.on("partsLimit", () => fail(broken(`The body has more than ${maxParts} parts.`)));
  parser.on("error", fail);
  parser.on("close", () => {
    if (!isOver) reading.then(resolve, fail);
  });

  const write = (bytes: Uint8Array) =>
    new Promise<void>((written) => parser.write(bytes, () => written()));
  const feed = async () => {
    let fed = 0;
    for (let chunk = small ?? (await body.read()); chunk; chunk = await body.read()) {
      for (let at = 0; at < chunk.length && !isOver; ) {
        const slice = chunk.subarray(at, at + SMALL_BODY_BYTES - (fed % SMALL_BODY_BYTES));
        await write(slice);
        at += slice.length;
        fed += slice.length;
        if (fed === SMALL_BODY_BYTES && !isOver) await taker.onLarge();
        if (fed - fileBytes > MAX_TEXT_BYTES) {
          throw tooLarge("The fields of the form are larger than 1 MB together.");
        }
      }
      if (isOver) return;
    }
    parser.end();
  };
  feed().catch(fail);
  await over;
  return fields;
}

const broken = (message: string) => new AppError(null, message);

/** Loaded lazily, because text-only forms do not need busboy. */
async function createParser(contentType: string, maxParts: number) {
  const { default: busboy } = await import("busboy");
  try {
    return busboy({
      headers: { "content-type": contentType },
      // One part more, because busboy reports this limit only at the end of the last part.
      limits: { ...LIMITS, parts: maxParts + 1 },
      defParamCharset: "utf8",
    });
  } catch {
    throw broken("The Content-Type header names no multipart boundary.");
  }
}

/** Errors of busboy are the sender's fault; other errors are rethrown. */
function toRefusal(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  if (/unexpected end of/i.test(error.message)) {
    return broken("The multipart body ends before its closing boundary. Send it again.");
  }
  return /malformed|multipart|part header/i.test(error.message)
    ? broken("The multipart body is malformed.")
    : error;
}

const fieldName = (name: string | undefined): string => (name ?? "").replace(/\[\]$/, "");

/** Multipart encoding turns line breaks into CR LF. */
function addField(fields: Map<string, string[]>, name: string, value: string): void {
  const field = fieldName(name);
  const text = value.replaceAll("\r\n", "\n");
  fields.set(field, [...(fields.get(field) ?? []), text]);
}
