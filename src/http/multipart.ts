import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import busboy from "busboy";
import { AppError, tooLarge } from "../core/errors.ts";

/** Spec is silent: far above what any post needs, far below what would hurt. */
export const LIMITS = {
  parts: 64,
  fieldNameSize: 100,
  fieldSize: 256_000,
  headerPairs: 20,
} as const;
/** Source: spec, "Limits": the edge takes bodies up to 100 MB, chunked ones included. */
const MAX_BODY_BYTES = 100_000_000;

export interface FilePart {
  field: string;
  /** As the sender calls it: not believed, not used as a path. */
  name: string;
  bytes: AsyncIterable<Uint8Array>;
}

export interface Form {
  /** Every value that a field was given, in order. `photo[]` counts as `photo`. */
  fields: Map<string, string[]>;
}

/**
 * Reads multipart/form-data as a stream: each file is handed to `onFile` as it arrives, in order, and
 * must be read to its end there; fields may stand before or after files. Never holds a file in memory.
 *
 * @throws AppError UNSUPPORTED_MEDIA_TYPE, 400 for a body that is broken or ends early, 413
 */
export async function readForm(
  request: Request,
  onFile: (part: FilePart, form: Form) => Promise<void>,
): Promise<Form> {
  const form: Form = { fields: new Map() };
  const contentType = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(contentType) || !request.body) {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Send the body as multipart/form-data.");
  }
  const parser = createParser(contentType);
  const source = Readable.fromWeb(countBytes(request.body) as unknown as NodeReadableStream);

  await new Promise<void>((resolve, reject) => {
    let reading = Promise.resolve();
    let isOver = false;
    const fail = (error: unknown) => {
      if (isOver) return;
      isOver = true;
      source.unpipe(parser);
      source.destroy();
      parser.destroy(new Error("The body is not read any further."));
      // A file that is being taken in ends first, so that whoever cleans up knows of it.
      const refuse = () => reject(toRefusal(error));
      reading.then(refuse, refuse);
    };
    parser.on("field", (name, value, info) => {
      const called = `The field ${fieldName(name).slice(0, 50)}`;
      if (info.valueTruncated || info.nameTruncated) return fail(broken(`${called} is too long.`));
      // The parser has no value for a character set that it does not know.
      if (value === undefined) {
        return fail(broken(`${called} is in another character set. Send UTF-8.`));
      }
      addField(form, name, value);
    });
    parser.on("file", (name, stream, info) => {
      stream.on("error", () => {});
      const part = { field: fieldName(name), name: info.filename ?? "", bytes: stream };
      reading = reading.then(async () => {
        if (isOver) return;
        await onFile(part, form);
        stream.resume();
      });
      reading.catch(fail);
    });
    parser.on("partsLimit", () => fail(broken(`The body has more than ${LIMITS.parts} parts.`)));
    parser.on("error", fail);
    source.on("error", fail);
    parser.on("close", () => {
      if (!isOver) reading.then(resolve, fail);
    });
    source.pipe(parser);
  });
  return form;
}

const broken = (message: string) => new AppError(null, message);

function createParser(contentType: string) {
  try {
    return busboy({
      headers: { "content-type": contentType },
      limits: LIMITS,
      defParamCharset: "utf8",
    });
  } catch {
    throw broken("The multipart body names no boundary.");
  }
}

/** The parser's own complaints are the sender's doing; anything else is passed on as it is. */
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

/** Multipart encoding turns every line break into CR LF; texts have the author's own. */
function addField(form: Form, name: string, value: string): void {
  const field = fieldName(name);
  const text = value.replaceAll("\r\n", "\n");
  form.fields.set(field, [...(form.fields.get(field) ?? []), text]);
}

/** Refuses a body that grows beyond the limit, whatever its headers promised. */
function countBytes(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let total = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        total += chunk.length;
        if (total > MAX_BODY_BYTES) {
          controller.error(tooLarge("The request body is larger than 100 MB."));
          return;
        }
        controller.enqueue(chunk);
      },
    }),
  );
}
