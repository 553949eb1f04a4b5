import type { Config } from "../../config.ts";
import { MAX_FAILURES } from "../../core/webhooks.ts";
import { platformName } from "../../platforms/registry.ts";
import type {
  DisabledWebhook,
  EndingDomain,
  EndingLogin,
  FillingDatabase,
  LateBackups,
  PostEvent,
  WaitingSlot,
} from "./repo/notices.ts";
import { databaseSubject, describeEnding, describeLateBackups } from "./rules.ts";
import { firstWords, type Occurrence, placeOf, toLine } from "./words.ts";

const ADDRESS_CHARACTERS = 200;

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

export function ofPost(event: PostEvent, { publicUrl }: Pick<Config, "publicUrl">): Occurrence {
  const { name, data, title, description, accountName, platform, uploadId, origin } = event;
  return {
    name,
    by: data.reviewedBy === "client" || data.reviewedBy === "team" ? data.reviewedBy : null,
    what: firstWords([title, description]),
    where: placeOf(accountName, platform, platformName),
    note: noteOf(event),
    path: `/app/uploads/${uploadId}`,
    origin: publicUrl ?? (origin || null),
  };
}

function noteOf({ name, data, zone }: PostEvent): string | null {
  if (name === "upload.changes_requested") return textOf(data.comment);
  if (name === "upload.failed") return textOf(data.errorMessage);
  const at = textOf(data.scheduledFor);
  return at === null ? "It is being published now." : `It goes out on ${inWords(at, zone)}.`;
}

function inWords(instant: string, zone: string | null): string {
  const timeZone = zone ?? "UTC";
  const format = new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZone,
  });
  return `${format.format(new Date(instant))} (${timeZone})`;
}

const ofTeam =
  <Row>(describe: (row: Row) => Omit<Occurrence, "by" | "origin">) =>
  (row: Row, { publicUrl }: Pick<Config, "publicUrl">): Occurrence => ({
    ...describe(row),
    by: null,
    origin: publicUrl,
  });

export const ofLogin = ofTeam(({ id, accountName, platform, ...ends }: EndingLogin) => ({
  name: "login.ending",
  what: toLine(accountName, ADDRESS_CHARACTERS),
  where: platformName(platform),
  note: describeEnding(ends),
  path: `/app/accounts/${id}`,
}));

export const ofDomain = ofTeam(
  ({ domainId, host, team, txtName, txtValue, verifiedAt }: EndingDomain) => ({
    name: verifiedAt ? "domain.ending" : "domain.ended",
    what: toLine(host, ADDRESS_CHARACTERS),
    where: team,
    note: verifiedAt
      ? `Its TXT record is missing, which shows that the domain is yours. Add ${txtName} with the value ${txtValue}: without it for three days in a row, the links on the domain answer 404.`
      : `Its TXT record was missing for three days, so the links on it answer 404. Add ${txtName} with the value ${txtValue} within seven days, and the links work again: at the latest an hour later, or at once with POST /domains/${domainId}/verify.`,
    path: "/app/settings",
  }),
);

export const ofSlot = ofTeam(({ pool, time, zone, accountId }: WaitingSlot) => ({
  name: "slot.waiting",
  what: firstWords([pool]),
  where: `${time} (${zone})`,
  note: "None of its accounts can be used. Connect one of them again; the queue stays as it is until then.",
  path: `/app/accounts/${accountId}`,
}));

export const ofDatabase = ofTeam(({ subject, team }: FillingDatabase) => ({
  name: "database.filling",
  what: `The database is ${subject.slice(databaseSubject("").length)} % full`,
  where: team,
  note: "At 100 % nothing can be written any more, and no post goes out. The settings say how large it is and when it will be full; the guide “Deploy and operate” says what to do.",
  path: "/app/settings",
}));

export const ofBackups = ofTeam(({ finishedAt, error, team }: LateBackups) => ({
  name: "backup.late",
  what: "Backups of the database",
  where: team,
  note: `${describeLateBackups(finishedAt)}${error ? ` The last error: ${toLine(error, ADDRESS_CHARACTERS)}` : ""}`,
  path: "/app/setup",
}));

export const ofWebhook = ofTeam(({ webhookId, url, team }: DisabledWebhook) => ({
  name: "webhook.disabled",
  what: `Webhook ${webhookId}: ${toLine(url, ADDRESS_CHARACTERS)}`,
  where: team,
  note: `${MAX_FAILURES} events in a row failed all their attempts. Put the endpoint right, look at its log (GET /webhooks/${webhookId}/deliveries) and switch it on again: PATCH /webhooks/${webhookId} {"isActive":true}. For 30 days, the events that it missed can be replayed from the log or read from GET /events.`,
  path: "/app/settings",
}));
