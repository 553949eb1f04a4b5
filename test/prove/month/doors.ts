/** What the harness and its Worker say to each other. */

export interface Statement {
  sql: string;
  params: unknown[];
}

/** What Cloudflare counts. A read of a bucket's object is cheaper than a write or a list. */
export interface Bill {
  requests: number;
  messages: number;
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
  objectWrites: number;
  objectReads: number;
}

export const EMPTY_BILL: Bill = {
  requests: 0,
  messages: 0,
  roundTrips: 0,
  rowsRead: 0,
  rowsWritten: 0,
  objectWrites: 0,
  objectReads: 0,
};
