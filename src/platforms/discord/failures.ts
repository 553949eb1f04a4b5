import {
  all,
  BUSY,
  DISCONNECTED,
  FLAGGED,
  INVALID,
  LIMITED,
  type Rule,
  refusalJudge,
  UNAVAILABLE,
  UNKNOWN,
} from "../kit/refusals.ts";
import type { DiscordRefusal } from "./api.ts";
import type { MessagePlace } from "./sender.ts";

/** Source of all codes: Discord, "Opcodes and Status Codes". */
export const UNKNOWN_CHANNEL = 10003;
export const UNKNOWN_MESSAGE = 10008;
export const NEEDS_THREAD = 220001;
const UNKNOWN_WEBHOOK = 10015;
const WRONG_TOKENS = [0, 40001, 50014, 50027];

const advised = (advice: string): Rule => ({ code: "content_flagged", advice });

const TAGS = advised("Send ids of the forum's own tags as discord_tags.");
const THREAD = advised("Choose another discord_thread_id.");
const RIGHTS: Rule = {
  code: "account_disconnected",
  advice: "Give the bot or the webhook's owner the permissions in the channel's settings.",
};

const BY_CODE: ReadonlyMap<number, Rule> = new Map([
  ...all([UNKNOWN_CHANNEL, 10004, 50001], DISCONNECTED),
  ...all([50013, 160002, 400001, 220004], RIGHTS),
  ...all([20009, 200000, 200001, 240000, 50006, 50035, 50008, 50024, 40058], FLAGGED),
  ...all([40067, 10087], TAGS),
  ...all([50083, 160005, 160006], THREAD),
  ...all([40005, 50045, 50046, 50110, 50123, 30015], INVALID),
  ...all([40004, 40006, 130000, 40333], UNAVAILABLE),
  ...all([30046], LIMITED),
  ...all([UNKNOWN_MESSAGE], UNKNOWN),
]);

const RATE_LIMIT = 429;
const FORBIDDEN = 403;
const TOO_LARGE = 413;
/** Discord's edge gives no time. Bans of some minutes and of an hour were seen. */
const BAN_SECONDS = 300;

/** The webhook was deleted, or its token or the bot's is another one. */
export const isLoginLost = ({ status, code }: DiscordRefusal): boolean =>
  code === UNKNOWN_WEBHOOK || (status === 401 && code !== null && WRONG_TOKENS.includes(code));

const judge = refusalJudge<DiscordRefusal>({
  isTokenRefusal: isLoginLost,
  ruleOf: ({ status, code }) => {
    if (status === RATE_LIMIT) return code === 30046 ? LIMITED : BUSY;
    if (status === FORBIDDEN && code === null) return UNAVAILABLE;
    return BY_CODE.get(code ?? -1) ?? (status === TOO_LARGE ? INVALID : undefined);
  },
  waitSeconds: (_, { status, retryAfterSeconds, isBan }) =>
    retryAfterSeconds ?? (status === RATE_LIMIT && isBan ? BAN_SECONDS : null),
  isLongLimit: ({ status }) => status === RATE_LIMIT,
});

export const { isUndecided, isTemporary, toRefused, toUnknowable } = judge;

/** Such a bot gets empty lists, and no refusal. */
export const NO_HISTORY =
  "Discord shows the bot no message of the channel: it may lack the permission Read Message History.";

const GONE = new Set<number | null>([UNKNOWN_MESSAGE, UNKNOWN_CHANNEL]);

/** A thread that is gone has taken its messages with it. */
export const isMessageGone = ({ code }: DiscordRefusal, { threadId }: MessagePlace): boolean =>
  threadId === null ? code === UNKNOWN_MESSAGE : GONE.has(code);
