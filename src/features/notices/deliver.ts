import { isOn } from "../../core/notices.ts";
import { quietUntil } from "../../core/quiet-hours.ts";
import { MINUTE } from "../../core/time.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import { wakeNotices } from "../../queue/wake.ts";
import { canSendMail } from "../mail/service.ts";
import {
  ofBackups,
  ofDatabase,
  ofDomain,
  ofLogin,
  ofPost,
  ofSlot,
  ofWebhook,
} from "./occurrences.ts";
import * as repo from "./repo/notices.ts";
import {
  noteRefused,
  noteTaken,
  type QuietTarget,
  removeTargets,
  targetsOf,
} from "./repo/targets.ts";
import { isStale, KIND_OF, retryAt } from "./rules.ts";
import { type Sent, sendByMail, sendToTarget } from "./send.ts";
import type { NoticeRow, TargetRow } from "./table.ts";
import type { Occurrence } from "./words.ts";

const SLICE = 200;
/** Even slow messages end within the 30 seconds that a Worker has after its response. */
export const MAX_MESSAGES = 12;
/** Source: Workers, "Limits". */
const CONNECTIONS = 6;
/** After a crash, notices are due again after this time. */
const LEASE_MS = MINUTE;
/** Subrequests besides messages: five for notices (take, read, address, store, wake), three for earlier deliveries. */
export const OWN_CALLS = 5 + 3;

interface Facts {
  occurrences: Map<string, Occurrence>;
  recipients: Map<string, repo.Person[]>;
  people: repo.Person[];
  targets: Map<number, QuietTarget>;
}

/** Notices of one kind for one receiver. */
interface Parcel {
  rows: NoticeRow[];
  occurrences: [Occurrence, ...Occurrence[]];
  to: { email: string } | { target: TargetRow };
}

/** Sends up to `max` messages; other notices wait for the next queue message. */
export async function sendNotices(deps: Deps, max = MAX_MESSAGES): Promise<void> {
  const now = deps.now();
  const until = new Date(now.getTime() + LEASE_MS);
  const [taken] = await deps.db.run([repo.takeDue({ now, until, max: SLICE })]);
  if (taken.length === 0) return;
  const facts = await lookUp(deps, taken);
  const addressed = await address(deps, facts, taken.filter(isUnaddressed));
  const rows = [...taken.filter((row) => !isUnaddressed(row)), ...addressed];
  const { parcels, dropped, waiting } = pack(facts, rows, now);
  const ended = await sendAll(deps, parcels.slice(0, max));
  const putBack = parcels.slice(max).flatMap(({ rows }) => rows);
  const moved = putBack.map((row) => ({ row, to: now, attempt: row.attempt }));
  await store(deps, ended, dropped, [...moved, ...waiting]);
  if (putBack.length > 0 || taken.length === SLICE) await wakeNotices(deps, 0);
}

/** Spec is silent. */
const MAX_MANAGERS = 10;

const RANKS = ["OWNER", "ADMIN"];

/** Only owners and admins can switch a webhook on or reconnect an account. */
const managersOf = (team: readonly repo.Person[]): repo.Person[] =>
  team
    .filter(({ role }) => RANKS.includes(role))
    .toSorted((a, b) => RANKS.indexOf(a.role) - RANKS.indexOf(b.role))
    .slice(0, MAX_MANAGERS);

/** The person who acted gets no notice. */
const recipientsOf = (
  { authorId, linkSenderId, actorId }: repo.PostEvent,
  team: readonly repo.Person[],
): repo.Person[] =>
  team.filter(({ userId }) => [authorId, linkSenderId].includes(userId) && userId !== actorId);

const isUnaddressed = ({ channel }: NoticeRow): boolean => channel === "unaddressed";

const jsonOf = (values: Iterable<unknown>): string => JSON.stringify([...values]);

async function lookUp(deps: Deps, rows: readonly NoticeRow[]): Promise<Facts> {
  const pairs = new Map(rows.map(({ teamId, subject }) => [subject, [teamId, subject]]));
  const keys = jsonOf(pairs.values());
  const teamIds = jsonOf(new Set(rows.map(({ teamId }) => teamId)));
  const [posts, webhooks, logins, domains, slots, databases, late, people, targets] =
    await deps.db.run([
      repo.postEvents({ keys }),
      repo.disabledWebhooks({ keys }),
      repo.endingLogins({ keys }),
      repo.endingDomains({ keys }),
      repo.waitingSlots({ keys }),
      repo.fillingDatabases({ keys }),
      repo.lateBackups({ keys }),
      repo.peopleOf({ teamIds }),
      targetsOf({ teamIds }),
    ]);
  const teamOf = ({ teamId }: { teamId: number }) => people.filter((one) => one.teamId === teamId);
  return {
    occurrences: new Map([
      ...posts.map((post) => [post.subject, ofPost(post, deps.config)] as const),
      ...webhooks.map((one) => [one.subject, ofWebhook(one, deps.config)] as const),
      ...logins.map((one) => [one.subject, ofLogin(one, deps.config)] as const),
      ...domains.map((one) => [one.subject, ofDomain(one, deps.config)] as const),
      ...slots.map((one) => [one.subject, ofSlot(one, deps.config)] as const),
      ...databases.map((one) => [one.subject, ofDatabase(one, deps.config)] as const),
      ...late.map((one) => [one.subject, ofBackups(one, deps.config)] as const),
    ]),
    recipients: new Map([
      ...posts.map((post) => [post.subject, recipientsOf(post, teamOf(post))] as const),
      ...[...webhooks, ...logins, ...domains, ...slots, ...late].map(
        (one) => [one.subject, managersOf(teamOf(one))] as const,
      ),
      ...databases.map(
        (one) => [one.subject, teamOf(one).filter(({ userId }) => userId === one.ownerId)] as const,
      ),
    ]),
    people,
    targets: new Map(targets.map((target) => [target.id, target])),
  };
}

/** Replaces notices without receivers by one row per receiver. */
async function address(deps: Deps, facts: Facts, rows: readonly NoticeRow[]): Promise<NoticeRow[]> {
  if (rows.length === 0) return [];
  const addressed = rows.flatMap((row) => receiversOf(deps, facts, row));
  await deps.db.runAll([
    ...(addressed.length > 0 ? [repo.insertNotices(addressed)] : []),
    repo.endNotices(rows),
  ]);
  return addressed;
}

function receiversOf(deps: Deps, facts: Facts, row: NoticeRow): NoticeRow[] {
  const occurrence = facts.occurrences.get(row.subject);
  if (!occurrence) return [];
  const kind = KIND_OF[occurrence.name];
  const targets = [...facts.targets.values()].filter(
    ({ channel }) => channel === "messaging" || deps.config.vapid,
  );
  const persons = (facts.recipients.get(row.subject) ?? []).flatMap(({ userId, notifications }) => [
    ...(canSendMail(deps) && isOn(notifications, kind, "email")
      ? [{ ...row, userId, channel: "email" as const }]
      : []),
    ...targets
      .filter((one) => one.userId === userId && isOn(notifications, kind, one.channel))
      .map(({ id, channel }) => ({ ...row, userId, targetId: id, channel })),
  ]);
  const chats = targets
    .filter(({ teamId }) => teamId === row.teamId)
    .map(({ id, channel }) => ({ ...row, targetId: id, channel }));
  return [...persons, ...chats];
}

/** `dropped`: notices that are too late or have no receiver. `waiting`: notices in their receiver's quiet hours. */
function pack(facts: Facts, rows: readonly NoticeRow[], now: Date) {
  const parcels = new Map<string, Parcel>();
  const dropped: NoticeRow[] = [];
  const waiting: repo.MovedNotice[] = [];
  for (const row of rows) {
    const occurrence = facts.occurrences.get(row.subject);
    const to = occurrence && !isStale(row, now) ? receiverOf(facts, row, occurrence) : null;
    if (!occurrence || !to) {
      dropped.push(row);
      continue;
    }
    const quietEnd = quietEndOf(facts, row, now);
    if (quietEnd) {
      waiting.push({ row, to: quietEnd, attempt: row.attempt });
      continue;
    }
    const { name, by } = occurrence;
    const key = [row.userId, row.targetId, row.teamId, name, by, row.attempt].join();
    const parcel = parcels.get(key);
    parcel?.rows.push(row);
    parcel?.occurrences.push(occurrence);
    if (!parcel) parcels.set(key, { rows: [row], occurrences: [occurrence], to });
  }
  return { parcels: [...parcels.values()], dropped, waiting };
}

function quietEndOf(
  { people, targets }: Facts,
  { userId, teamId, targetId }: NoticeRow,
  now: Date,
): Date | null {
  const hours =
    userId === 0
      ? targets.get(targetId)?.quietHours
      : people.find((one) => one.userId === userId && one.teamId === teamId)?.quietHours;
  return hours ? quietUntil(hours, now) : null;
}

/** Null when the receiver left the team, switched the notice off, or was removed. */
function receiverOf(
  { people, targets }: Facts,
  { userId, teamId, targetId, channel }: NoticeRow,
  { name }: Occurrence,
): Parcel["to"] | null {
  const target = targets.get(targetId);
  if (userId === 0) return target?.teamId === teamId ? { target } : null;
  const person = people.find((one) => one.userId === userId && one.teamId === teamId);
  if (!person || channel === "unaddressed") return null;
  if (!isOn(person.notifications, KIND_OF[name], channel)) return null;
  if (channel === "email") return { email: person.email };
  return target?.userId === userId ? { target } : null;
}

interface Ended {
  parcel: Parcel;
  sent: Sent;
}

async function sendAll(deps: Deps, parcels: readonly Parcel[]): Promise<Ended[]> {
  const waiting = [...parcels];
  const ended: Ended[] = [];
  const serve = async () => {
    for (let parcel = waiting.shift(); parcel; parcel = waiting.shift()) {
      const { to, occurrences } = parcel;
      const sent =
        "email" in to
          ? await sendByMail(deps, to.email, occurrences)
          : await sendToTarget(deps, to.target, occurrences);
      ended.push({ parcel, sent });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, serve));
  return ended;
}

async function store(
  deps: Deps,
  ended: readonly Ended[],
  dropped: readonly NoticeRow[],
  waiting: readonly repo.MovedNotice[],
): Promise<void> {
  const now = deps.now();
  const moved = [...waiting];
  const over = [...dropped];
  for (const { parcel, sent } of ended) {
    const [{ attempt, channel }] = parcel.rows as [NoticeRow];
    const to = sent.kind === "unanswered" ? retryAt(attempt, now, sent.askedMs) : null;
    if (to) moved.push(...parcel.rows.map((row) => ({ row, to, attempt: attempt + 1 })));
    else over.push(...parcel.rows);
    if ("error" in sent) {
      deps.log({ event: "notices.not_taken", channel, attempt, error: sent.error });
    }
  }
  const writes = [
    ...(over.length > 0 ? [repo.endNotices(over)] : []),
    ...(moved.length > 0 ? [repo.moveNotices(moved)] : []),
    ...updateTargets(ended),
  ];
  if (writes.length > 0) await deps.db.runAll(writes);
}

function updateTargets(ended: readonly Ended[]): Query<number>[] {
  const of = (kind: Sent["kind"]) =>
    ended.flatMap(({ parcel: { to }, sent }) =>
      sent.kind === kind && "target" in to ? [to.target.id] : [],
    );
  const refused = ended.flatMap(({ parcel: { to }, sent }) =>
    "error" in sent && "target" in to ? [{ id: to.target.id, error: sent.error }] : [],
  );
  const [gone, taken] = [of("gone"), of("taken")];
  return [
    ...(gone.length > 0 ? [removeTargets(gone)] : []),
    ...(taken.length > 0 ? [noteTaken(taken)] : []),
    ...(refused.length > 0 ? [noteRefused(refused)] : []),
  ];
}
