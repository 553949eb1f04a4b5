/** Options of the server, given on the command line as JSON. */
export interface ServerOptions {
  script: string;
  stateDir: string;
  clockOffset: number;
  isNew: boolean;
  /** The checkout whose configuration and migrations the script has; this one without it. */
  root?: string;
  /** More variables of the Worker. */
  vars?: Record<string, string>;
  /** Where it listens, with the storage endpoint of `npm start`; any port and no such storage without it. */
  port?: number;
  /** Is told of every chunk of a video that the simulated YouTube receives, before and after. */
  chunkWatch?: string;
  /** Shares of the calls to simulated platforms that are lost, before or after they have their effect. */
  losses?: { before: number; after: number };
}

/** Begins the one line that tells where the server listens. */
export const READY = "ready at ";

/** Headers by which the server tells of a chunk. */
export const CHUNK_HEADERS = { range: "chunk-range", state: "chunk-state" } as const;
