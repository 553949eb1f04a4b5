import { FAILURE_CODES, type FailureCode } from "../../core/failures.ts";

interface Steering {
  failure: FailureCode | null;
  slowSeconds: number;
  /** Accept the post, but lose the answer, once. */
  losesReply: boolean;
  /** Refuse the access token until it is refreshed. */
  expiresToken: boolean;
  serverErrors: number;
  keepsPost: boolean;
  losesContainer: boolean;
}

/** What an upload already met and does not meet again. */
export interface SteeringHistory {
  refused_token: string | null;
  server_errors: number;
  reply_lost: boolean;
}

export const NO_HISTORY: SteeringHistory = {
  refused_token: null,
  server_errors: 0,
  reply_lost: false,
};

export type Reply = { kind: "now" } | { kind: "late"; seconds: number } | { kind: "dropped" };

export type Verdict =
  | { kind: "token_refused" }
  /** `nth` counts from 1. */
  | { kind: "server_error"; nth: number }
  | { kind: "failure"; code: FailureCode }
  | { kind: "accepted"; reply: Reply };

const WORD = /\[sandbox:([a-z0-9_]+)(?:=(\d{1,4}))?\]/g;
const MAX_SLOW_SECONDS = 600;

const isFailureCode = (word: string): word is FailureCode =>
  (FAILURE_CODES as string[]).includes(word);

/** Reads `[sandbox:<word>=<number>]`. Unknown words are ordinary text. */
export function readSteering(text: string): Steering {
  const steering: Steering = {
    failure: null,
    slowSeconds: 0,
    losesReply: false,
    expiresToken: false,
    serverErrors: 0,
    keepsPost: false,
    losesContainer: false,
  };
  for (const [, word = "", number] of text.matchAll(WORD)) {
    if (number !== undefined) {
      if (word === "slow") steering.slowSeconds = Math.min(Number(number), MAX_SLOW_SECONDS);
      if (word === "5xx") steering.serverErrors = Number(number);
    } else if (isFailureCode(word)) steering.failure ??= word;
    else if (word === "lost_reply") steering.losesReply = true;
    else if (word === "token_expired") steering.expiresToken = true;
    else if (word === "not_deleted") steering.keepsPost = true;
    else if (word === "lost_container") steering.losesContainer = true;
  }
  return steering;
}

/** In a real platform's order: first the token, then server errors, then the post. */
export function steer(
  steering: Steering,
  history: SteeringHistory,
  accessToken: string,
): { verdict: Verdict; history: SteeringHistory } {
  const refused = history.refused_token;
  if (steering.expiresToken && (refused === null || refused === accessToken)) {
    return {
      verdict: { kind: "token_refused" },
      history: { ...history, refused_token: accessToken },
    };
  }
  if (history.server_errors < steering.serverErrors) {
    const nth = history.server_errors + 1;
    return { verdict: { kind: "server_error", nth }, history: { ...history, server_errors: nth } };
  }
  if (steering.failure) return { verdict: { kind: "failure", code: steering.failure }, history };
  if (steering.losesReply && !history.reply_lost) {
    return {
      verdict: { kind: "accepted", reply: { kind: "dropped" } },
      history: { ...history, reply_lost: true },
    };
  }
  const reply: Reply =
    steering.slowSeconds > 0 ? { kind: "late", seconds: steering.slowSeconds } : { kind: "now" };
  return { verdict: { kind: "accepted", reply }, history };
}

/** `slow` delays a file's processing and no answer. */
const SLOW_WORD = /\[sandbox:slow=\d+\]/g;

/** For platforms whose tokens do not end by themselves. */
export const withoutExpiry = (text: string): string =>
  text.replaceAll("[sandbox:token_expired]", "");

/** For a call that both opens the upload and makes the post. */
export const allWords = (text: string): string => text.replace(SLOW_WORD, "");

/**
 * Splits words between the call that opens an upload and the last chunk.
 *
 * @param delivery matches the last chunk's words
 */
export const shareWords = (delivery: RegExp) => ({
  openingWords: (text: string): string => allWords(text.replace(delivery, "")),
  deliveryWords: (text: string): string =>
    [...text.matchAll(delivery)].map(([word]) => word).join(" "),
});

const PROCESSING_SECONDS = 3;

export const processingSeconds = (text: string): number =>
  readSteering(text).slowSeconds || PROCESSING_SECONDS;
