/** Source: spec, GET /upload. */
export function toPagination(total: number, page: number, limit: number) {
  return { total, page, limit, totalPages: Math.ceil(total / limit) };
}
