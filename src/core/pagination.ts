/** Source: spec, GET /upload. */
export function toPagination(total: number, page: number, limit: number) {
  return { total, page, limit, totalPages: Math.ceil(total / limit) };
}

/** Source: spec, "Other": list limit max 1000. */
export const MAX_LIMIT = 1_000;
