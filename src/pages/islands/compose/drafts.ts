import { CallRefused } from "../call.ts";
import { afterPause, retryWaitMs } from "../upload/waits.ts";
import type { Content } from "./content.ts";

const BROWSER_PAUSE_MS = 200;
const FIRST_SAVE_MS = 1_500;
/** One row is written per save. */
const SAVE_EVERY_MS = 10_000;

export interface Saved {
  id: string;
  version: string;
}

export interface LocalCopy {
  content: Content;
  version: string | null;
  at: number;
  /** Its form was sent: only a person says whether it is wanted again. */
  isSent: boolean;
}

export type DraftState =
  | { kind: "saved"; at: Date }
  | { kind: "offline" }
  | { kind: "signedOut" }
  | { kind: "changed"; error: CallRefused }
  | { kind: "refused"; message: string };

const keyOf = (team: string, id: string | null) => `akimbo.draft.${team}.${id ?? "new"}`;

/** The browser's storage may be full or off; the server's draft is kept nevertheless. */
function tryStorage<T>(use: () => T): T | null {
  try {
    return use();
  } catch {
    return null;
  }
}

const read = <T>(key: string): T | null =>
  tryStorage(() => JSON.parse(localStorage.getItem(key) ?? "null"));

function write(key: string, value: unknown): void {
  tryStorage(() => {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  });
}

export const readCopy = (team: string, id: string | null): LocalCopy | null =>
  read(keyOf(team, id));

const lostKeyOf = (team: string, id: string | null) => `akimbo.files.${team}.${id ?? "new"}`;

export function keepNames(team: string, id: string | null, names: readonly string[]): void {
  write(lostKeyOf(team, null), null);
  write(lostKeyOf(team, id), names.length === 0 ? null : names);
}

export const lostNames = (team: string, id: string | null): string[] =>
  read<string[]>(lostKeyOf(team, id)) ?? [];

/** Of copies of forms that were sent, which are wanted only when sending failed. */
const SENT_KEPT_MS = 86_400_000;

export function removeOldCopies(): void {
  for (const key of tryStorage(() => Object.keys(localStorage)) ?? []) {
    const copy = key.startsWith("akimbo.draft.") ? read<LocalCopy>(key) : null;
    if (copy?.isSent && copy.at < Date.now() - SENT_KEPT_MS) write(key, null);
  }
}

interface Draft {
  team: string;
  id: string | null;
  version: string | null;
  read(): Content;
  /** `isLeaving`: the page goes away, and the call has to outlive it. */
  save(content: Content, known: Saved | null, isLeaving: boolean): Promise<Saved>;
  onState(state: DraftState): void;
}

export class DraftKeeper {
  private readonly draft: Draft;
  private timer = 0;
  private savedAt = 0;
  private attempt = 0;
  private isChanged = false;
  private saving: Promise<void> | null = null;
  private isStopped = false;
  private refusal: number | null = null;
  private readonly keepSoon: () => void;

  constructor(draft: Draft) {
    this.draft = draft;
    this.keepSoon = afterPause(BROWSER_PAUSE_MS, () => this.keep());
    addEventListener("online", () => this.isChanged && this.save());
    addEventListener("pagehide", () => this.leave());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.leave();
    });
  }

  get id(): string | null {
    return this.draft.id;
  }

  changed(): void {
    this.isChanged = true;
    this.keepSoon();
    this.saveIn(Math.max(FIRST_SAVE_MS, this.savedAt + SAVE_EVERY_MS - Date.now()));
  }

  /** Until `goOn`, the server's draft stays as it is. The browser's copy is kept all the same. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
    this.timer = 0;
  }

  goOn(known: Saved | null): void {
    this.forget();
    this.draft.id = known?.id ?? null;
    this.draft.version = known?.version ?? null;
    this.isStopped = false;
    this.isChanged = true;
    this.save();
  }

  sent(): void {
    this.stop();
    this.keep(true);
    this.isChanged = false;
  }

  forget(): void {
    write(keyOf(this.draft.team, this.draft.id), null);
  }

  private keep(isSent = false): void {
    const { team, id, version } = this.draft;
    const copy: LocalCopy = { content: this.draft.read(), version, at: Date.now(), isSent };
    write(keyOf(team, id), copy);
  }

  private leave(): void {
    if (!this.isChanged) return;
    this.keep();
    this.save(true);
  }

  private saveIn(ms: number): void {
    if (this.timer !== 0 || this.isStopped) return;
    this.timer = setTimeout(() => this.save(), ms) as unknown as number;
  }

  /** Saves, because the draft names the call. False without a line or a session. */
  async ready(): Promise<boolean> {
    await this.saving;
    if (this.isChanged || this.draft.id === null) {
      this.save();
      await this.saving;
    }
    return this.refusal === null || ![0, 401].includes(this.refusal);
  }

  private save(isLeaving = false): void {
    if (this.saving || this.isStopped) return;
    clearTimeout(this.timer);
    this.timer = 0;
    this.saving = this.saveNow(isLeaving).finally(() => {
      this.saving = null;
      if (this.isChanged && this.attempt === 0) this.saveIn(SAVE_EVERY_MS);
    });
  }

  private async saveNow(isLeaving: boolean): Promise<void> {
    this.isChanged = false;
    const { id, version } = this.draft;
    const known = id !== null && version !== null ? { id, version } : null;
    try {
      const saved = await this.draft.save(this.draft.read(), known, isLeaving);
      this.forget();
      this.draft.id = saved.id;
      this.draft.version = saved.version;
      this.savedAt = Date.now();
      this.attempt = 0;
      this.refusal = null;
      if (this.isChanged) this.keep();
      this.draft.onState({ kind: "saved", at: new Date() });
    } catch (error) {
      this.isChanged = true;
      this.keep();
      this.refused(error);
    }
  }

  private refused(error: unknown): void {
    const { onState } = this.draft;
    if (!(error instanceof CallRefused)) throw error;
    this.refusal = error.status;
    if (error.code === "DRAFT_CHANGED") {
      this.stop();
      onState({ kind: "changed", error });
      return;
    }
    this.attempt++;
    if (error.status === 0 || error.status === 429 || error.status >= 500) {
      onState({ kind: "offline" });
      this.saveIn(Math.max(SAVE_EVERY_MS, retryWaitMs(this.attempt)));
      return;
    }
    onState(
      error.status === 401 ? { kind: "signedOut" } : { kind: "refused", message: error.message },
    );
  }
}
