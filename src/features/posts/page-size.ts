import { invalidFields } from "../../core/errors.ts";

/** Largest answer. Spec is silent. */
export const MAX_PAGE_BYTES = 8_000_000;
/** Size of a post apart from its texts: names of fields, signed addresses, its account. */
export const ROW_BYTES = 2_000;

/** A row of a page. One with more text than its share comes without, and is read once all are known to fit. */
export interface PageRow<T> {
  id: number;
  /** Null: cut. */
  record: T | null;
  /** Size of its texts in the answer: JSON in UTF-8. */
  bytes: number;
}

/** The page that a caller asked for, and the name of its limit in the query. */
interface PageRequest {
  parameter: "limit" | "perPage";
  limit: number;
  page: number;
}

/**
 * The records of a page whose answer fits: those that were cut are read with `readWhole`. Records removed in
 * between are left out.
 *
 * @throws AppError 400 that names a smaller page, beginning at the same post
 */
export async function fillPage<T>(
  rows: readonly PageRow<T>[],
  request: PageRequest,
  readWhole: (ids: number[]) => Promise<Map<number, T>>,
): Promise<T[]> {
  requireFit(rows, request);
  const cut = rows.filter(({ record }) => record === null).map(({ id }) => id);
  const whole = cut.length > 0 ? await readWhole(cut) : new Map<number, T>();
  return rows.flatMap(({ id, record }) => record ?? whole.get(id) ?? []);
}

/** @throws AppError 400 */
function requireFit(
  rows: readonly Pick<PageRow<unknown>, "bytes">[],
  { parameter, limit, page }: PageRequest,
): void {
  let sum = 0;
  const fitting = rows.findIndex(({ bytes }) => {
    sum += bytes + ROW_BYTES;
    return sum > MAX_PAGE_BYTES;
  });
  if (fitting < 0) return;
  const skipped = (page - 1) * limit;
  // Only such a limit has a page that begins where this one does.
  let smaller = Math.max(1, fitting);
  while (skipped % smaller !== 0) smaller--;
  const message = `${parameter}: the answer would be larger than 8 MB. Ask with ${parameter}=${smaller} and page=${skipped / smaller + 1}, which begins at the same post.`;
  throw invalidFields([{ field: parameter, message }]);
}
