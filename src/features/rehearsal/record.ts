import type { Fetch } from "../../platforms/connector.ts";
import { readText } from "../../platforms/kit/replies.ts";
import type { AppKeys, Credentials } from "../../platforms/login.ts";
import { shownAddress, shownAnswer, shownText } from "./redact.ts";

const MAX_READ_BYTES = 64 * 1_024;

export interface RecordedCall {
  method: string;
  address: string;
  status: number | null;
  ms: number;
  answer: string | null;
}

interface RawCall extends Omit<RecordedCall, "answer"> {
  body: string | null;
  type: string;
  problem: string | null;
}

/** The calls of one step, without headers and request bodies. */
export class CallRecord {
  readonly #calls: RawCall[] = [];
  readonly #secrets = new Set<string>();
  readonly #broken = new WeakSet<Error>();
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  hideApp(app: AppKeys | null): void {
    if (!app) return;
    this.#secrets.add(app.clientSecret);
    if (app.privateKey) this.#secrets.add(app.privateKey.d);
  }

  hideLogin({ accessToken, refreshToken, extra = {} }: Credentials): void {
    // URLs among the extra values are servers, not secrets.
    const others = Object.values(extra).filter((value) => !/^https?:\/\//i.test(value));
    for (const secret of [accessToken, refreshToken, ...others]) {
      if (secret) this.#secrets.add(secret);
    }
  }

  readonly record =
    (network: Fetch): Fetch =>
    async (input, init) => {
      const begun = this.#now().getTime();
      const call: RawCall = {
        method: init?.method ?? (input instanceof Request ? input.method : "GET"),
        address: input instanceof Request ? input.url : String(input),
        status: null,
        ms: 0,
        body: "",
        type: "",
        problem: null,
      };
      this.#calls.push(call);
      try {
        const response = await network(input, init);
        call.status = response.status;
        call.type = response.headers.get("content-type") ?? "";
        call.body = await readText(response.clone(), MAX_READ_BYTES);
        if (!response.body) call.body = "";
        return response;
      } catch (error) {
        call.problem = error instanceof Error ? error.message : "No answer.";
        if (error instanceof Error) this.#broken.add(error);
        throw error;
      } finally {
        call.ms = this.#now().getTime() - begun;
      }
    };

  isBroken(error: unknown): boolean {
    if (!(error instanceof Error)) return false;
    return this.#broken.has(error) || error.name === "AbortError" || error.name === "TimeoutError";
  }

  /** A platform's refusal may repeat the login that it refuses. */
  readonly clean = <T extends string | null | undefined>(words: T): T | string =>
    words ? shownText(words, [...this.#secrets]) : words;

  /** Call this after the step, so that a login renewed in it is hidden too. */
  toCalls(): RecordedCall[] {
    const secrets = [...this.#secrets];
    return this.#calls.map(({ method, address, status, ms, body, type, problem }) => ({
      method,
      address: shownAddress(address, secrets),
      status,
      ms,
      answer: shownAnswer(problem ?? body, type, secrets),
    }));
  }
}
