import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unstable_splitSqlQuery as splitSql } from "wrangler";
import { newId } from "../account.ts";
import { type Cloud, pageOf, type Route } from "../api.ts";
import { Refusal } from "../refusal.ts";
import { bookmarksSince, newestBookmark, restoreBookmark, takeBookmark } from "../time-travel.ts";

/** An error of SQL, as the API answers it. */
const QUERY_FAILED = 7_500;
const refuse = (code: number, message: string, status = 400) =>
  new Refusal(code, message, status, "storage");

interface Query {
  sql: string;
  params?: unknown[];
}

async function describe({ account, runner }: Cloud, idOrName: string) {
  const { uuid, name, created_at } = account.database(idOrName);
  const [tables] = await runner.query(uuid, [
    {
      sql: "SELECT count(*) AS count FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '_cf_%'",
    },
  ]);
  return {
    uuid,
    name,
    created_at,
    version: "production",
    num_tables: Number(tables?.results[0]?.count),
    file_size: tables?.meta.size_after,
    running_in_region: "WEUR",
  };
}

/** Runs the statements of a text in one transaction, as the API does. */
async function run(cloud: Cloud, id: string, queries: Query[]) {
  const { uuid } = cloud.account.database(id);
  const statements = queries.flatMap(({ sql, params }) => {
    const parts = splitSql(sql).filter((part) => part.replaceAll(/--.*$/gm, "").trim());
    if (params?.length && parts.length > 1) {
      throw refuse(QUERY_FAILED, "Parameters can only be used with a single statement.");
    }
    return parts.map((part) => ({ sql: part, params: params ?? [] }));
  });
  return await cloud.runner.query(uuid, statements);
}

const queriesOf = (body: Query | { batch: Query[] }): Query[] =>
  "batch" in body ? body.batch : [body];

export const D1_ROUTES: Route[] = [
  [
    "GET /d1/database",
    ({ account }, { query }) => {
      const name = query.get("name");
      const matches = account.state.databases.filter((one) => !name || one.name.includes(name));
      return pageOf(
        matches.map((one) => ({ ...one, version: "production", num_tables: 0, file_size: 0 })),
        query,
        10,
      );
    },
  ],
  [
    "POST /d1/database",
    ({ account }, call) => {
      const { name } = call.json<{ name: string }>();
      const { databases } = account.state;
      if (databases.some((one) => one.name === name)) {
        throw refuse(7_502, `A database named '${name}' already exists.`);
      }
      if (databases.length >= account.limit("databases")) {
        throw refuse(7_406, "You have reached the maximum number of databases for your account.");
      }
      const database = { uuid: randomUUID(), name, created_at: new Date().toISOString() };
      databases.push(database);
      return { result: { ...database, version: "production", num_tables: 0, file_size: 0 } };
    },
  ],
  [
    "GET /d1/database/:",
    async (cloud, { params: [id = ""] }) => ({ result: await describe(cloud, id) }),
  ],
  [
    "DELETE /d1/database/:",
    ({ account }, { params: [id = ""] }) => {
      const database = account.database(id);
      account.state.databases = account.state.databases.filter((one) => one !== database);
      return { result: null };
    },
  ],
  [
    "POST /d1/database/:/query",
    async (cloud, call) => ({
      result: await run(cloud, call.params[0] ?? "", queriesOf(call.json())),
    }),
  ],
  [
    "POST /d1/database/:/raw",
    async (cloud, call) => {
      const results = await run(cloud, call.params[0] ?? "", queriesOf(call.json()));
      return {
        result: results.map(({ results: rows, ...rest }) => {
          const columns = Object.keys(rows[0] ?? {});
          return {
            ...rest,
            results: { columns, rows: rows.map((row) => columns.map((name) => row[name])) },
          };
        }),
      };
    },
  ],
  [
    "POST /d1/database/:/export",
    async (cloud, call) => {
      const { uuid } = cloud.account.database(call.params[0] ?? "");
      const { current_bookmark: bookmark, dump_options: options = {} } = call.json<{
        current_bookmark?: string;
        dump_options?: { no_schema?: boolean; no_data?: boolean; tables?: string[] };
      }>();
      const common = { success: true, type: "export", messages: ["Uploaded part 1"] };
      if (!bookmark) {
        const name = `${newId()}.sql`;
        const lines = await cloud.runner.dump(uuid, options);
        writeFileSync(join(signedFolder(cloud), name), `${lines.join("\n")}\n`);
        return { result: { ...common, at_bookmark: name, status: "active" } };
      }
      const signed_url = `${cloud.origin}/signed/${bookmark}`;
      return {
        result: {
          ...common,
          at_bookmark: bookmark,
          status: "complete",
          result: { filename: bookmark, signed_url },
        },
      };
    },
  ],
  [
    "POST /d1/database/:/import",
    async (cloud, call) => {
      const id = call.params[0] ?? "";
      cloud.account.database(id);
      const { action, etag, filename } = call.json<Record<string, string>>();
      const common = { success: true, type: "import", messages: [], errors: [] };
      if (action === "init") {
        const name = `${newId()}.sql`;
        return { result: { filename: name, upload_url: `${cloud.origin}/signed/${name}` } };
      }
      if (action === "poll") {
        return {
          result: { ...common, at_bookmark: "done", status: "complete", result: imports.get(id) },
        };
      }
      const text = readFileSync(join(signedFolder(cloud), filename ?? ""));
      if (md5(text) !== etag)
        throw refuse(QUERY_FAILED, "The uploaded file is not the announced one.");
      const results = await run(cloud, id, [{ sql: text.toString() }]);
      const total = (name: "rows_read" | "rows_written" | "duration") =>
        results.reduce((sum, { meta }) => sum + (meta[name] ?? 0), 0);
      imports.set(id, {
        final_bookmark: newId(),
        num_queries: results.length,
        meta: {
          ...results.at(-1)?.meta,
          rows_read: total("rows_read"),
          rows_written: total("rows_written"),
          duration: total("duration"),
        },
      });
      return { result: { ...common, at_bookmark: "busy", status: "active" } };
    },
  ],
  [
    "GET /signed/:",
    (cloud, { params: [name = ""] }) => ({
      raw: { body: readFileSync(join(signedFolder(cloud), name)) },
    }),
  ],
  [
    "PUT /signed/:",
    (cloud, { params: [name = ""], body }) => {
      writeFileSync(join(signedFolder(cloud), name), body);
      return { raw: { headers: { etag: `"${md5(body)}"` } } };
    },
  ],
  [
    "GET /d1/database/:/time_travel/bookmark",
    async (cloud, { params: [id = ""], query }) => {
      const { uuid } = cloud.account.database(id);
      const timestamp = query.get("timestamp");
      if (!timestamp) return { result: { bookmark: await takeBookmark(cloud, uuid) } };
      const bookmark = newestBookmark(cloud.account, uuid, new Date(timestamp));
      if (!bookmark) throw refuse(QUERY_FAILED, `No bookmark is older than ${timestamp}.`);
      return { result: { bookmark } };
    },
  ],
  [
    "POST /d1/database/:/time_travel/restore",
    async (cloud, { params: [id = ""], query }) => {
      const { uuid } = cloud.account.database(id);
      const timestamp = query.get("timestamp");
      const bookmark =
        query.get("bookmark") ??
        (timestamp && newestBookmark(cloud.account, uuid, new Date(timestamp)));
      const isKept = bookmark && bookmarksSince(cloud.account, uuid).includes(bookmark);
      if (!isKept) {
        throw refuse(QUERY_FAILED, `The bookmark ${bookmark} cannot be restored.`);
      }
      const previous_bookmark = await restoreBookmark(cloud, uuid, bookmark);
      return { result: { bookmark, previous_bookmark, message: "Database restored" } };
    },
  ],
  // Wrangler asks for figures of a database here.
  [
    "POST /graphql",
    () => ({ raw: { headers: { "content-type": "application/json" }, body: NO_FIGURES } }),
  ],
];

const NO_FIGURES = JSON.stringify({
  data: { viewer: { accounts: [{ d1AnalyticsAdaptiveGroups: [] }] } },
});

/** The outcome of the last import into each database. */
const imports = new Map<string, object>();

const md5 = (content: Buffer): string => createHash("md5").update(content).digest("hex");

function signedFolder({ account }: Cloud): string {
  const folder = join(account.folder, "signed");
  mkdirSync(folder, { recursive: true });
  return folder;
}
