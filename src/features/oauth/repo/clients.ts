import { getTableColumns, sql } from "drizzle-orm";
import { text } from "drizzle-orm/sqlite-core";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { type ClientDocument, oauthClients, oauthDocuments } from "../table.ts";

const readClient = rowReader({ ...getTableColumns(oauthClients), teamName: text("team_name") });

export type ClientRow = ReturnType<typeof readClient>;

export const clientById = prepared(
  ({ id }: Params<{ id: string }>) =>
    sql`SELECT c.*, (SELECT name FROM teams WHERE id = c.team_id) AS team_name
      FROM oauth_clients c WHERE c.id = ${id}`,
  readClient,
);

type NewClient = Pick<ClientRow, "id" | "kind" | "teamId" | "name" | "authMethod"> &
  Pick<ClientRow, "secretHash" | "createdBy" | "createdAt"> & { redirectUris: string };

export const insertClient = preparedWrite(
  (client: Params<NewClient>) =>
    sql`INSERT INTO oauth_clients
        (id, kind, team_id, name, redirect_uris, auth_method, secret_hash, created_by, created_at)
      VALUES (${client.id}, ${client.kind}, ${client.teamId}, ${client.name},
        ${client.redirectUris}, ${client.authMethod}, ${client.secretHash}, ${client.createdBy},
        ${client.createdAt})`,
);

export const documentAt = prepared(
  ({ url }: Params<{ url: string }>) => sql`SELECT * FROM oauth_documents WHERE url = ${url}`,
  rowReader(oauthDocuments),
);

interface FetchedDocument {
  url: string;
  /** Null for a failed fetch, which keeps the last document. */
  document: ClientDocument | null;
  fetchedAt: Date;
  freshUntil: Date;
}

const storeDocumentText = preparedWrite(
  ({ url, document, fetchedAt, freshUntil }: Params<Record<keyof FetchedDocument, unknown>>) =>
    sql`INSERT INTO oauth_documents (url, document, fetched_at, fresh_until)
      VALUES (${url}, ${document}, ${fetchedAt}, ${freshUntil})
      ON CONFLICT (url) DO UPDATE SET document = coalesce(excluded.document, document),
        fetched_at = excluded.fetched_at, fresh_until = excluded.fresh_until`,
);

export const storeDocument = ({ document, ...fetched }: FetchedDocument) =>
  storeDocumentText({ ...fetched, document: document && JSON.stringify(document) });
