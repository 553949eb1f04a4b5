/** Options of the server, given on the command line as JSON. */
export interface ServerOptions {
  script: string;
  stateDir: string;
  clockOffset: number;
  isNew: boolean;
}

/** Begins the one line that tells where the server listens. */
export const READY = "ready at ";
