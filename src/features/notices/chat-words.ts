import {
  addressOf,
  headlineOf,
  lines,
  listed,
  NOTE_CHARACTERS,
  noteOf,
  type Occurrence,
  type Several,
  toLine,
  unlisted,
} from "./words.ts";

export type { Several };

const escapeAngles = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Slack's markup. Source: Slack, "Formatting message text". */
function toMrkdwn(one: Occurrence): string {
  const address = addressOf(one);
  const what = escapeAngles(one.what);
  const note = noteOf(one);
  return lines(
    // A bar would end the link's address early.
    address === null ? what : `<${address}|${what.replaceAll("|", "¦")}>`,
    escapeAngles(toLine(one.where, NOTE_CHARACTERS)),
    note && `> ${escapeAngles(note)}`,
  );
}

/** For chats that take Slack's messages, such as Mattermost. */
export function toPlainChat(all: Several): { text: string } {
  const items = listed(all).map(toMrkdwn);
  return { text: lines(`*${headlineOf(all)}*`, ...items, unlisted(all)) };
}

/** Source: Slack, "Reference: Layout blocks". */
const SLACK_HEADER = 150;
const SLACK_SECTION = 3_000;

/** `text` is what notifications show. Source: Slack, "Sending messages using incoming webhooks". */
export function toSlack(all: Several) {
  const section = (text: string) => ({
    type: "section",
    text: { type: "mrkdwn", text: text.slice(0, SLACK_SECTION) },
  });
  const more = unlisted(all);
  return {
    text: headlineOf(all),
    blocks: [
      {
        type: "header",
        text: { type: "plain_text", text: headlineOf(all).slice(0, SLACK_HEADER), emoji: false },
      },
      ...listed(all).map((one) => section(toMrkdwn(one))),
      ...(more === null ? [] : [section(more)]),
    ],
  };
}

/** Source: Discord, "Embed limits". All embeds have 6,000 characters together. */
const DISCORD_TITLE = 256;
const DISCORD_DESCRIPTION = 4_096;
const DISCORD_TOGETHER = 6_000;

const escapeMarkdown = (text: string): string => text.replace(/([\\*_~`|>[\]()#-])/g, "\\$1");

/** Discord notifies nobody whom a text names. Source: Discord, "Execute webhook", allowed_mentions. */
export function toDiscord(all: Several) {
  const items = listed(all);
  const each = Math.floor(DISCORD_TOGETHER / items.length) - DISCORD_TITLE;
  return {
    content: `**${headlineOf(all)}**${unlisted(all) === null ? "" : `\n${unlisted(all)}`}`,
    embeds: items.map((one) => {
      const address = addressOf(one);
      const note = noteOf(one);
      const description = lines(
        escapeMarkdown(toLine(one.where, NOTE_CHARACTERS)),
        note && `> ${escapeMarkdown(note)}`,
      );
      return {
        title: one.what.slice(0, DISCORD_TITLE),
        description: description.slice(0, Math.min(each, DISCORD_DESCRIPTION)),
        ...(address === null ? {} : { url: address }),
      };
    }),
    allowed_mentions: { parse: [] },
  };
}

const escapeHtml = (text: string): string => escapeAngles(text).replaceAll('"', "&quot;");

/** After entities are read. Source: Telegram, "sendMessage". */
const TELEGRAM_TEXT = 4_096;

export function toTelegram(all: Several) {
  const items = listed(all).map((one) => {
    const address = addressOf(one);
    const what = escapeHtml(one.what);
    const note = noteOf(one);
    return lines(
      address === null ? what : `<a href="${escapeHtml(address)}">${what}</a>`,
      escapeHtml(toLine(one.where, NOTE_CHARACTERS)),
      note && `<blockquote>${escapeHtml(note)}</blockquote>`,
    );
  });
  const head = `<b>${escapeHtml(headlineOf(all))}</b>`;
  const more = unlisted(all);
  const fitting: string[] = [];
  for (const item of items) {
    if ([head, ...fitting, item].join("\n\n").length < TELEGRAM_TEXT) fitting.push(item);
  }
  return {
    text: [head, ...fitting, ...(more === null ? [] : [more])].join("\n\n"),
    parse_mode: "HTML",
    link_preview_options: { is_disabled: true },
  };
}
