import type { CsvRow } from "../../core/csv-rows.ts";
import { type FieldError, fieldError } from "../../core/errors.ts";
import { ZoneClock } from "../../core/zone.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { mediaAt, namedFile } from "../compose/media.ts";
import { EMPTY_POST, type NewMedia, type NewPost, type RawSettings } from "../compose/new-post.ts";
import { isMediaId } from "../media/repo.ts";
import { type ColumnOrder, orderOf, readSheetDate } from "./dates.ts";
import type { Columns, Dialect } from "./dialects.ts";
import { cellErrors, type Sheet } from "./sheet.ts";
import { type OwnAccount, readTargets, type Targets } from "./targets.ts";

/** One row for one account. Without an account, the row is refused. */
export interface ImportedPost {
  row: number;
  account: OwnAccount | null;
  importId: string | null;
  /** What the row says besides its accounts, by field: the same for the same row of another file. */
  content: string;
  post: NewPost;
  notes: string[];
}

interface Reading {
  columns: Columns;
  accounts: readonly OwnAccount[];
  /** For rows that name no account. */
  usualTargets: Targets | null;
  clock: ZoneClock;
  origin: string;
}

type Cells = ReadonlyMap<string, string>;

const MAX_IMPORT_ID = 200;

const cellOf = (cells: Cells, field: string): string => cells.get(field) ?? "";

/** Stops at `most` posts. */
export function toPosts(
  sheet: Sheet,
  reading: Omit<Reading, "clock"> & { zone: string; most: number },
): ImportedPost[] {
  const { zone, most, ...rest } = reading;
  const { columns } = rest;
  const rows = sheet.rows.map((row) => ({ row, cells: cellsOf(row, columns) }));
  const dates = rows.map(({ cells }) => cellOf(cells, "scheduledFor"));
  const order = orderOf(dates, columns.dialect.dateOrder);
  const clock = new ZoneClock(zone);
  const posts: ImportedPost[] = [];
  for (const { row, cells } of rows) {
    if (posts.length >= most) break;
    const errors = cellErrors(sheet, row);
    posts.push(...readRow(row.row, cells, { ...rest, clock, order, errors }));
  }
  return posts;
}

const cellsOf = ({ cells }: CsvRow, { fields }: Columns): Cells =>
  new Map(fields.flatMap((field, i) => (field === null ? [] : [[field, cells[i] ?? ""]])));

function readRow(
  row: number,
  cells: Cells,
  reading: Reading & { order: ColumnOrder; errors: readonly FieldError[] },
): ImportedPost[] {
  const { columns, accounts, usualTargets, errors } = reading;
  const named = cellOf(cells, "account");
  const targets = named.trim() === "" && usualTargets ? usualTargets : readTargets(named, accounts);
  const when = readWhen(cells, reading);
  const importId = cellOf(cells, "importId").trim() || null;
  const refusals = [
    ...errors,
    ...when.errors,
    ...targets.refusals.map((refusal) => fieldError("account", refusal)),
    ...(targets.accounts.length === 0 && targets.refusals.length === 0
      ? [fieldError("account", "is required: the id of an account, or platform:handle.")]
      : []),
    ...(importId !== null && importId.length > MAX_IMPORT_ID
      ? [fieldError("importId", `must have at most ${MAX_IMPORT_ID} characters.`)]
      : []),
  ];
  const rowContent = contentOf(cells);
  const toPost = (account: OwnAccount | null): ImportedPost => {
    const content = account ? contentFor(cells, columns.dialect, account) : null;
    const post: NewPost = {
      ...EMPTY_POST,
      origin: reading.origin,
      accountIds: account ? [account.id] : [],
      title: cells.get("title") || null,
      description: content ? content.description : cells.get("description") || null,
      caption: content ? content.caption : cells.get("caption") || null,
      settings: content?.settings ?? {},
      media: readMedia(cellOf(cells, "media"), columns.dialect),
      scheduledFor: when.at,
      status: when.status,
      refused: { targets: [], fields: [...refusals, ...(content?.errors ?? [])] },
    };
    return {
      row,
      account,
      importId,
      content: rowContent,
      post,
      notes: [...when.notes, ...(content?.notes ?? [])],
    };
  };
  return targets.accounts.length === 0 || targets.refusals.length > 0
    ? [toPost(null)]
    : targets.accounts.map(toPost);
}

const contentOf = (cells: Cells): string =>
  JSON.stringify(
    [...cells]
      .map(([field, text]) => [field, text.trim()] as const)
      .filter(([field, text]) => field !== "account" && text !== "")
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );

const HELD = ["draft", "pending_approval"] as const;

interface When {
  at: Date | null;
  status: NewPost["status"];
  notes: string[];
  errors: FieldError[];
}

function readWhen(cells: Cells, { columns, clock, order }: Reading & { order: ColumnOrder }): When {
  const text = cellOf(cells, "scheduledFor").trim();
  const statusText = cellOf(cells, "status").trim().toLowerCase();
  const status = HELD.find((one) => one === statusText) ?? null;
  const errors =
    statusText === "" || status
      ? []
      : [fieldError("status", `must be empty, ${HELD.join(" or ")}.`)];
  if (text === "") {
    const isKept = columns.dialect.undated === "draft" && status === null;
    const fate = isKept ? "is kept as a draft" : "goes out at once";
    const notes = isKept || status === null ? [`The row has no date: the post ${fate}.`] : [];
    return { at: null, status: isKept ? "draft" : status, notes, errors };
  }
  const read = readSheetDate(text, clock, order);
  if ("refusal" in read) {
    return {
      at: null,
      status,
      notes: [],
      errors: [...errors, fieldError("scheduledFor", read.refusal)],
    };
  }
  return { at: read.at, status, notes: read.note === null ? [] : [read.note], errors };
}

function readMedia(cell: string, { betweenMedia }: Dialect): NewMedia[] {
  const names = cell.split(betweenMedia).filter((name) => name !== "");
  return names.map((name) =>
    isMediaId(name) ? namedFile(name, "media") : mediaAt(name, "media", names.length === 1),
  );
}

/** Fields of a row that are no settings. */
const NO_SETTINGS = new Set([
  "account",
  "importId",
  "media",
  "scheduledFor",
  "status",
  "title",
  "description",
  "caption",
  "board",
  "subtype",
]);

interface Content {
  caption: string | null;
  description: string | null;
  settings: RawSettings;
  notes: string[];
  errors: FieldError[];
}

function contentFor(cells: Cells, dialect: Dialect, account: OwnAccount): Content {
  const settings: RawSettings = {};
  for (const [field, value] of cells) {
    if (!NO_SETTINGS.has(field) && value.trim() !== "") settings[field] = value;
  }
  const content: Content = {
    caption: cells.get("caption") || null,
    description: cells.get("description") || null,
    settings,
    notes: [],
    errors: [],
  };
  const isYouTubes = Object.hasOwn(connectorOf(account.platform).settings.infos, "scheduledDate");
  if (settings.scheduledDate !== undefined && !isYouTubes) {
    const message = "is a field of YouTube alone. Name the column scheduledFor.";
    content.errors.push(fieldError("scheduledDate", message));
  }
  if (dialect.name === "publer") takePublerLists(content);
  if (dialect.name !== "akimbo") takeLink(content, account);
  takeBoard(content, cellOf(cells, "board").trim(), account);
  takeSubtype(content, cellOf(cells, "subtype").trim(), account);
  return content;
}

/** Publer separates alternative texts and comments by ||. */
function takePublerLists({ settings, notes }: Content): void {
  const { alt_text, first_comment } = settings;
  const parts = (text: unknown) =>
    String(text)
      .split("||")
      .map((part) => part.trim());
  if (alt_text !== undefined) settings.alt_text = parts(alt_text);
  if (first_comment === undefined) return;
  const [first = "", ...others] = parts(first_comment);
  settings.first_comment = first;
  if (others.length > 0) notes.push("Only the first comment is taken; others are left out.");
}

/** Where the platform has no field for a link, it is added to the text. */
function takeLink(content: Content, { platform }: OwnAccount): void {
  const { link, ...settings } = content.settings;
  if (typeof link !== "string" || Object.hasOwn(connectorOf(platform).settings.infos, "link"))
    return;
  content.settings = settings;
  const field =
    content.caption === null && content.description !== null ? "description" : "caption";
  if (content[field]?.includes(link)) return;
  content[field] = [content[field], link].filter(Boolean).join("\n\n");
}

const BOARD = "pinterest_board_id";

function takeBoard({ settings, errors }: Content, board: string, { platform }: OwnAccount): void {
  if (board === "" || !Object.hasOwn(connectorOf(platform).settings.infos, BOARD)) return;
  if (/^\d+$/.test(board)) settings[BOARD] = board;
  else {
    const message = `"${board.slice(0, 80)}" is the name of a board. Put its id there: GET /pinterest/boards lists them.`;
    errors.push(fieldError(BOARD, message));
  }
}

const SUBTYPES: Record<string, string> = { story: "STORIES", reel: "REELS", reels: "REELS" };

function takeSubtype(
  { settings, notes }: Content,
  subtype: string,
  { platform }: OwnAccount,
): void {
  if (subtype === "") return;
  const mediaType = SUBTYPES[subtype.toLowerCase()];
  const values = connectorOf(platform).settings.infos.media_type?.values ?? [];
  if (mediaType !== undefined && values.includes(mediaType)) settings.media_type = mediaType;
  else notes.push(`${subtype.slice(0, 80)} is no kind of post here and is left out.`);
}
