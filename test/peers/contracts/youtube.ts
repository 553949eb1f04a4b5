import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Contract, matchPath, queryOf } from "./contract.ts";
import type { RecordedCall } from "./recording.ts";
import { byTypes, type TypedValue } from "./typed.ts";

// Google's own client is generated from the discovery document of the API: its code has methods, paths
// and what is required, its types have parameters and bodies. It declares enumerations as strings.

const CLIENT = join(import.meta.dirname, "..", "node_modules/@googleapis/youtube/build/v3.js");
const ORIGINS = ["https://www.googleapis.com", "https://youtube.googleapis.com"];

interface Operation {
  /** As types name its parameters: `Videos$Insert`. */
  name: string;
  verb: string;
  paths: string[];
  required: string[];
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function readOperations(code: string): Operation[] {
  return code
    .split(/class Resource\$/)
    .slice(1)
    .flatMap((resource) => {
      const [name = ""] = /^\w+/.exec(resource) ?? [];
      return resource
        .split(/\n {8}(?=\w+\(paramsOrCallback)/)
        .slice(1)
        .flatMap((method) => {
          const paths = [
            ...method.matchAll(/rootUrl \+ '([^']+)'|rootUrl \+\s*\n\s*'([^']+)'/g),
          ].map(([, one, other]) => one ?? other ?? "");
          const verb = /method: '(\w+)'/.exec(method)?.[1];
          const [called = ""] = /^\w+/.exec(method) ?? [];
          if (!verb || paths.length === 0) return [];
          const listed = /requiredParams: \[([^\]]*)\]/.exec(method)?.[1] ?? "";
          const required = [...listed.matchAll(/'(\w+)'/g)].map(([, one = ""]) => one);
          return [{ name: `${name}$${capital(called)}`, verb, paths, required }];
        });
    });
}

/** A parameter as the client takes it: several ids are asked for, one is deleted. */
function toParameter({ verb }: Operation, name: string, text: string): unknown {
  if (name === "part" || (name === "id" && verb === "GET")) return text.split(",");
  if (text === "true" || text === "false") return text === "true";
  return name === "maxResults" ? Number(text) : text;
}

/**
 * A chunk of a video goes to the address that the upload was given: no method of the API. Source:
 * YouTube Data API, "Resumable Uploads".
 */
const isChunk = ({ method, url }: RecordedCall): boolean =>
  method === "PUT" && new URL(url).searchParams.has("upload_id");

function toTyped(operations: Operation[], call: RecordedCall): TypedValue | string {
  const { origin, pathname } = new URL(call.url);
  if (!ORIGINS.includes(origin)) return `${origin} is not YouTube's`;
  const verb = isChunk(call) ? "POST" : call.method;
  const operation = operations.find(
    (one) => one.verb === verb && one.paths.some((path) => matchPath(path, pathname)),
  );
  if (!operation) return `${call.method} ${pathname} is no call of YouTube`;
  const { upload_id: _, ...query } = isChunk(call)
    ? queryOf(call)
    : { upload_id: "", ...queryOf(call) };
  const missing = operation.required.find((name) => !(name in query));
  if (missing) return `${operation.name} wants the parameter ${missing}`;
  const { body } = call;
  const value = {
    ...Object.fromEntries(
      Object.entries(query).map(([name, text]) => [name, toParameter(operation, name, text)]),
    ),
    ...(body?.kind === "json" ? { requestBody: body.value } : {}),
    ...(body?.kind === "bytes" ? { media: { mimeType: body.type } } : {}),
  };
  return { type: `youtube_v3.Params$Resource$${operation.name}`, value };
}

export async function loadYouTubeContract(): Promise<Contract> {
  const operations = readOperations(await readFile(CLIENT, "utf8"));
  const imports = 'import type { youtube_v3 } from "@googleapis/youtube";';
  return byTypes(imports, (call) => toTyped(operations, call));
}
