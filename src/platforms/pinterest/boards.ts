import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import type { Fetch, Stopped } from "../connector.ts";
import type { Board } from "../extras.ts";
import { get, pageOf, readReply } from "./api.ts";
import { toRefused } from "./failures.ts";

/** The maximum. Source: Pinterest, "List boards". */
const BOARDS_PER_PAGE = 250;
const MAX_PAGES = 10;

/** @see https://developers.pinterest.com/docs/api/v5/boards-list */
function listBoardsRequest(accessToken: string, bookmark: string | null): Request {
  const query = new URLSearchParams({ page_size: String(BOARDS_PER_PAGE) });
  if (bookmark !== null) query.set("bookmark", bookmark);
  return get("/boards", accessToken, query);
}

/** A protected board counts as secret, because only some people see it. */
const board = z
  .object({
    id: z.string().min(1).max(64),
    name: z.string(),
    description: z.string().nullish(),
    privacy: z.string().nullish(),
  })
  .transform(
    ({ id, name, description, privacy }): Board => ({
      id,
      name,
      description: description ?? "",
      privacy: (privacy ?? "PUBLIC") === "PUBLIC" ? "PUBLIC" : "SECRET",
    }),
  );

export async function boards(fetch: Fetch, accessToken: string): Promise<Result<Board[], Stopped>> {
  const all: Board[] = [];
  let bookmark: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const request = listBoardsRequest(accessToken, bookmark);
    const reply = await readReply(await fetch(request), pageOf(board));
    if (!reply.ok) return refuse(toRefused(reply.error));
    all.push(...reply.value.items);
    bookmark = reply.value.bookmark;
    if (bookmark === null) break;
  }
  return ok(all);
}
