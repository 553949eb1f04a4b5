import {
  BUSY,
  DISCONNECTED,
  FLAGGED,
  INVALID,
  isOutage,
  NOT_YET,
  type Rule,
  refusalJudge,
  UNKNOWN,
} from "../kit/refusals.ts";
import { toWait } from "../kit/replies.ts";
import type { TelegramRefusal } from "./api.ts";

const IN_CHAT = "Add the bot to the chat, then connect the account again.";
const MAY_WRITE = "Let the bot post there as an administrator, then retry.";

/** In lower case. Source: Bot API server, Client.cpp; TDLib. The first match counts. */
const RULES: readonly (readonly [words: RegExp, rule: Rule])[] = [
  [
    /chat not found|bot was kicked|bot is not a member|chat was deleted/,
    { ...DISCONNECTED, advice: IN_CHAT },
  ],
  [
    /need administrator rights|no write access|not enough rights to send/,
    { ...DISCONNECTED, advice: MAY_WRITE },
  ],
  [
    /chat_write_forbidden|chat_admin_required|chat_send_\w+_forbidden/,
    { ...DISCONNECTED, advice: MAY_WRITE },
  ],
  [/chat_restricted|channel_private|logged out/, DISCONNECTED],
  [
    /topic_closed|topic_deleted|message thread not found/,
    { ...UNKNOWN, advice: "Check telegram_topic_id." },
  ],
  [
    /message to be replied not found/,
    { ...UNKNOWN, advice: "The message before it was deleted. Write the rest in Telegram." },
  ],
  [
    /photo_|image_process|unsupported extension|too big|file must be|media_|in the album|mixed with other/,
    INVALID,
  ],
  [/is too long|text is empty|must be non-empty|must be encoded|entit/, FLAGGED],
  [/group send failed/, NOT_YET],
  [/message can't be deleted/, { ...UNKNOWN, advice: "Bots delete messages for 48 hours." }],
];

export const isNotModified = ({ message }: TelegramRefusal): boolean =>
  /message is not modified/i.test(message);

/** Telegram answers 404 to a token of another shape. */
export const isTokenRefusal = ({ status }: TelegramRefusal): boolean =>
  status === 401 || status === 404 || status === 421;

function ruleOf({ status, message, movedTo }: TelegramRefusal): Rule | undefined {
  if (movedTo !== null) {
    const advice = `The group has the id ${movedTo} now. Connect it again with that id.`;
    return { ...DISCONNECTED, advice };
  }
  if (isOutage({ status })) return undefined;
  if (status === 429) return BUSY;
  if (status === 413) return INVALID;
  const words = message.toLowerCase();
  const rule = RULES.find(([pattern]) => pattern.test(words))?.[1];
  return rule ?? (status === 403 ? DISCONNECTED : undefined);
}

/** Some messages of the album may be out, whose ids Telegram does not say. */
const isPartly = ({ message }: TelegramRefusal): boolean =>
  /failed to send message #/i.test(message);

export const judge = refusalJudge<TelegramRefusal>({
  isTokenRefusal,
  ruleOf,
  waitSeconds: (_, { retryAfterSeconds }) =>
    retryAfterSeconds === null ? null : toWait(retryAfterSeconds),
  isUndecided: (refusal) => isOutage(refusal) || isPartly(refusal),
});
