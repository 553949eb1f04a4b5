import { CallRefused } from "../call.ts";
import { routeFor } from "./file-kinds.ts";
import { abort, complete, keep, type Presigned, presign, put, type StoredFile } from "./storage.ts";
import { inTurns, retryWaitMs, waitForLine } from "./waits.ts";

export type UploadState = "waiting" | "sending" | "paused" | "offline" | "stored" | "failed";

const FILES_AT_ONCE = 3;
/** Browsers open six connections to an origin; two stay free for the page's own calls. */
const PUTS_AT_ONCE = 4;
/** A small file is not to wait for all parts of a large one. */
const PARTS_OF_A_FILE_AT_ONCE = 3;
/** Of refusals that may pass. A lost line is waited for as long as it takes. */
const MAX_ATTEMPTS = 6;
/** Of addresses for one file, which expire or lose their upload. */
const MAX_PRESIGNS = 3;

const takeFileTurn = inTurns(FILES_AT_ONCE);
const takePutTurn = inTurns(PUTS_AT_ONCE);

const mayPass = ({ status }: CallRefused): boolean => status === 429 || status >= 500;
/** Expired, or aborted by storage: only new addresses help. */
const isOver = (error: unknown): boolean =>
  error instanceof CallRefused && (error.status === 403 || error.status === 404);

export class Upload {
  readonly file: File;
  state: UploadState = "waiting";
  message = "";
  stored: StoredFile | null = null;
  private readonly onChange: () => void;
  private presigned: Presigned | null = null;
  private readonly etags = new Map<number, string>();
  private readonly sent = new Map<number, number>();
  private stopper = new AbortController();
  private isPut = false;
  private readonly takePartTurn = inTurns(PARTS_OF_A_FILE_AT_ONCE);

  constructor(file: File, onChange: () => void) {
    this.file = file;
    this.onChange = onChange;
  }

  get progress(): number {
    if (this.stored) return 1;
    let bytes = 0;
    for (const part of this.sent.values()) bytes += part;
    return Math.min(bytes / this.file.size, 1);
  }

  get isGoing(): boolean {
    return this.state === "waiting" || this.state === "sending" || this.state === "offline";
  }

  start(): void {
    if (this.stored) return;
    this.stopper = new AbortController();
    const { signal } = this.stopper;
    this.to("waiting");
    takeFileTurn(signal, () => this.run(signal)).catch((error: Error) => {
      if (signal.aborted) return;
      this.message = error.message;
      this.to("failed");
    });
  }

  pause(): void {
    if (!this.isGoing) return;
    this.to("paused");
    this.stopper.abort();
  }

  /** Stops for good, and frees what storage has of the file. */
  cancel(): void {
    this.stopper.abort();
    const { multipart } = this.presigned ?? {};
    if (multipart && !this.isPut) abort(multipart.abortUrl);
  }

  private to(state: UploadState): void {
    this.state = state;
    this.onChange();
  }

  private async run(signal: AbortSignal): Promise<void> {
    const route = routeFor(this.file);
    if (typeof route === "string") throw new Error(route);
    this.to("sending");
    for (let left = MAX_PRESIGNS; !this.isPut; left--) {
      try {
        this.presigned ??= await this.repeat(signal, () => presign(route.name, this.file));
        await this.putAll(this.presigned, signal);
        this.isPut = true;
      } catch (error) {
        if (!isOver(error) || !this.presigned || left === 1) throw error;
        this.forget();
      }
    }
    const { accessUrl } = this.presigned as Presigned;
    this.stored = await this.repeat(signal, () => keep(accessUrl, this.file.name));
    this.to("stored");
  }

  private forget(): void {
    this.presigned = null;
    this.etags.clear();
    this.sent.clear();
  }

  private async putAll(target: Presigned, signal: AbortSignal): Promise<void> {
    const { multipart, uploadUrl = "", uploadHeaders = {} } = target;
    if (!multipart) {
      await this.putRange(
        signal,
        { number: 1, url: uploadUrl, from: 0, size: this.file.size },
        uploadHeaders,
      );
      return;
    }
    const failure = new AbortController();
    const both = AbortSignal.any([signal, failure.signal]);
    await Promise.all(
      multipart.parts
        .filter(({ partNumber }) => !this.etags.has(partNumber))
        .map(({ partNumber: number, uploadUrl: url, size }) =>
          this.putRange(both, { number, url, from: (number - 1) * multipart.partSize, size }),
        ),
    ).catch((error) => {
      failure.abort(error);
      throw error;
    });
    await this.repeat(signal, () => complete(multipart.completeUrl, this.etags, signal));
  }

  private async putRange(
    signal: AbortSignal,
    { number, url, from, size }: { number: number; url: string; from: number; size: number },
    headers?: Record<string, string>,
  ): Promise<void> {
    const onSent = (bytes: number) => {
      this.sent.set(number, bytes);
      if (bytes > 0 && this.state === "offline") this.to("sending");
      else this.onChange();
    };
    const once = () =>
      put({
        url,
        ...(headers ? { headers } : {}),
        body: this.file.slice(from, from + size),
        signal,
        onSent,
      });
    const inTurn = () => this.takePartTurn(signal, () => takePutTurn(signal, once));
    const etag = await this.repeat(signal, inTurn, () => onSent(0)).catch((error) => {
      // Storage has the file already: an earlier PUT arrived whose answer was lost.
      if (error instanceof CallRefused && error.status === 412) return "";
      throw error;
    });
    this.etags.set(number, etag);
    onSent(size);
  }

  private async repeat<T>(
    signal: AbortSignal,
    act: () => Promise<T>,
    onLost = () => {},
  ): Promise<T> {
    for (let attempt = 1, lost = 1; ; ) {
      try {
        const result = await act();
        if (this.state === "offline") this.to("sending");
        return result;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof CallRefused)) throw error;
        const isLost = error.status === 0;
        if (!isLost && (!mayPass(error) || attempt++ === MAX_ATTEMPTS)) throw error;
        onLost();
        if (isLost && this.state === "sending") this.to("offline");
        const waitMs = retryWaitMs(isLost ? lost++ : attempt);
        await waitForLine(navigator.onLine ? waitMs : null, signal);
      }
    }
  }
}
