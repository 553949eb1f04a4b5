import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { quote } from "../../src/cli/sql.ts";
import { PLATFORMS } from "../../src/core/platforms.ts";
import { DAY, MINUTE } from "../../src/core/time.ts";
import { yearOf } from "../costs/years.ts";

/** The oldest posts wait for the archive; events, attempts and answers are forgotten after a month. */
const MONTHS = 15;
const MONTH = 30 * DAY;
const ACCOUNTS = 5;
/** One post in so many is a thread, failed, or has a short link. */
const [THREAD_ONE_IN, FAILED_ONE_IN, LINK_ONE_IN] = [10, 50, 20];
const LINK_DAYS = 20;
const ARCHIVED_MONTHS = 24;
const MEMBERS_OF_MONTH = 3;

const CAPTION =
  "A small repair at the harbour, and what it taught us about wood, patience and the weather: ";
const SETTINGS = quote(
  JSON.stringify({ langs: ["en"], labels: [], threadgate: null, quotes: true, altText: "A boat" }),
);
const PARTS = quote(
  JSON.stringify(
    [1, 2].map((n) => ({
      kind: "post",
      text: `${CAPTION}part ${n}`,
      media: [],
      status: "completed",
      platformPostId: `at://did:plc:abcdefghijklmnop/app.bsky.feed.post/3k${n}`,
    })),
  ),
);
const HASH = "lower(hex(randomblob(32)))";

export interface Growth {
  team: number;
  /** The posts have the ids from this one on. */
  firstId: number;
  posts: number;
  /** Epoch ms of the newest post. The others go back over 15 months. */
  now: number;
}

const count = (until: number) =>
  `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${until - 1})`;

/** Ids of events and of lines of activity sort by time. */
const timedId = (prefix: string, at: string, n: string) =>
  `'${prefix}_' || printf('%012x', ${at}) || printf('%016x', ${n})`;

/** A person with a team, which has the number of the person. */
export const growPeople = (team: number): string[] => [
  `INSERT INTO users (id, email, created_at) VALUES (${team}, 'grown-${team}@example.com', 0)`,
  `INSERT INTO teams (id, name, slug, owner_id, created_at, updated_at)
    VALUES (${team}, 'Grown ${team}', 'grown-${team}', ${team}, 0, 0)`,
  `INSERT INTO members (team_id, user_id, role, joined_at) VALUES (${team}, ${team}, 'OWNER', 0)`,
  `INSERT INTO tokens (hash, name, hint, user_id, scopes, created_at)
    VALUES (${HASH}, 'Grown', 'grown', ${team}, '["*"]', 0)`,
];

const { series, summary, posts: figures } = yearOf();

/** SQL that stores a team's posts with everything that publishing leaves of them, as it stands after years. */
export function growPosts({ team, firstId, posts, now }: Growth): string[] {
  const step = Math.floor((MONTHS * MONTH) / posts / MINUTE) * MINUTE || MINUTE;
  const at = `(${now} - i * ${step})`;
  const recent = Math.min(posts, Math.ceil(MONTH / step));
  const account = (n: string) => `'acc_grown_' || printf('%08d', ${team * ACCOUNTS} + ${n})`;
  const own = `team_id = ${team} AND id BETWEEN ${firstId} AND ${firstId + posts - 1}`;
  const isFailed = `i % ${FAILED_ONE_IN} = 7`;
  const end = `iif(${isFailed}, 'failed', 'completed')`;
  const platform = `json_extract('${JSON.stringify(PLATFORMS)}', '$[' || (i % ${ACCOUNTS}) || ']')`;
  const links = Math.ceil(posts / LINK_ONE_IN);
  const [text, known] = [quote(series), quote(summary)];
  return [
    `${count(ACCOUNTS)} INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode,
        status, connected_at)
      SELECT ${account("i")}, ${team}, ${platform}, 'did:plc:' || ${team} || i, 'Grown', 'sandbox', 'active', 0
      FROM n`,
    `${count(posts)} INSERT INTO uploads (id, team_id, account_id, platform, created_by, status, status_group,
        description, settings, media, file_size, origin, scheduled_for, sort_at, created_at, attempt, stage, fence,
        submitted_at, counted_at, uploaded_at, failed_at, failure_code, error_message, metadata, approved_hash,
        submits, text_digest, approved_by, approver_id, parts, part, posts)
      SELECT ${firstId} + i, ${team}, ${account(`i % ${ACCOUNTS}`)}, ${platform}, ${team}, ${end}, ${end},
        '${CAPTION}' || i || ' #harbour #wood https://example.com/stories/' || i, ${SETTINGS},
        json_array(json_object('sha256', ${HASH}, 'kind', 'image', 'hasThumbnail', json('true'))),
        200000 + i, 'https://social.example.com', ${at}, ${at}, ${at} - ${DAY}, 1, 'settling', 3, ${at} + 900,
        ${at} + 500, iif(${isFailed}, NULL, ${at} + 2000), iif(${isFailed}, ${at} + 2000, NULL),
        iif(${isFailed}, 'rate_limited', NULL), iif(${isFailed}, 'Rate Limit Exceeded', NULL),
        iif(${isFailed}, NULL, json_object('videoId', 'at://did:plc:abcdefghijklmnop/app.bsky.feed.post/3k' || i,
          'shareUrl', 'https://bsky.app/profile/harbour.example.com/post/3k' || i)),
        ${HASH}, 1, json_object('hash', ${HASH}, 'files', ${HASH}, 'mentions', json('[]')), 'team', ${team},
        iif(i % ${THREAD_ONE_IN}, NULL, ${PARTS}), iif(i % ${THREAD_ONE_IN}, 0, 2),
        iif(i % ${THREAD_ONE_IN}, 1, 3)
      FROM n`,
    `INSERT INTO media_uses (team_id, sha256, upload_id)
      SELECT team_id, media ->> '$[0].sha256', id FROM uploads WHERE ${own} ORDER BY 1, 2`,
    `INSERT INTO media (team_id, sha256, object_key, kind, mime, size_bytes, width, height, created_at, kept_at)
      SELECT team_id, sha256, 'media/' || sha256, 'image', 'image/jpeg', 200000, 1080, 1080, ${now}, ${now}
      FROM media_uses WHERE team_id = ${team} AND upload_id BETWEEN ${firstId} AND ${firstId + recent - 1}`,
    `${count(posts)} INSERT INTO activity (team_id, id, at, actor_kind, actor_id, actor_name, action,
        subject_kind, subject_id)
      SELECT ${team}, ${timedId("act", at, "i")}, ${at}, 'person', ${team}, 'grown-${team}@example.com',
        'upload.approved', 'upload', ${firstId} + i FROM n ORDER BY 2`,
    `${count(2 * recent)}, mine (i, turn) AS (SELECT i / 2, i % 2 FROM n)
      INSERT INTO events (team_id, id, name, data, created_at)
      SELECT ${team}, ${timedId("evt", `${at} + turn`, "i")}, iif(turn, 'upload.' || ${end}, 'upload.scheduled'),
        json_object('uploadId', ${firstId} + i, 'platform', 'bluesky', 'accountId', ${account(`i % ${ACCOUNTS}`)},
          'shareUrl', 'https://bsky.app/profile/harbour.example.com/post/3k' || i), ${at} FROM mine ORDER BY 2`,
    `INSERT INTO webhooks (id, team_id, url, events, secret, active_since, created_at, updated_at, is_active)
      VALUES (${team}, ${team}, 'https://hooks.example.com/', '["upload.completed"]', 'v1.bench.a.b', 0, 0, 0, 0)`,
    `${count(recent)} INSERT INTO attempts (webhook_id, id, team_id, event_id, event, attempt, success, status_code,
        duration_ms, created_at)
      SELECT ${team}, ${timedId("att", at, "i")}, ${team}, ${timedId("evt", `${at} + 1`, "i")}, 'upload.completed',
        1, 1, 200, 80, ${at} FROM n ORDER BY 2`,
    `INSERT INTO deliveries (due_at, event_id, webhook_id, team_id, kind, attempt, queued_at)
      SELECT ${now + MONTH} + rowid, 'evt_later', ${team}, ${team}, 'event', 2, ${now} FROM uploads
      WHERE ${own} LIMIT ${Math.ceil(recent / 100)}`,
    `INSERT INTO notices (due_at, subject, user_id, target_id, channel, team_id, created_at)
      SELECT ${now + MONTH} + rowid, 'evt_later', ${team}, 0, 'email', ${team}, ${now} FROM uploads
      WHERE ${own} LIMIT ${Math.ceil(recent / 100)}`,
    `${count(recent)} INSERT INTO idempotency (team_id, route, key, fingerprint, answer, first_upload_id, created_at)
      SELECT ${team}, 'POST /upload', 'grown-' || printf('%08d', i), ${HASH}, '{"uploads":1}', ${firstId} + i,
        ${at} FROM n`,
    `${count(links)} INSERT INTO short_links (id, team_id, domain_id, slug, slug_key, destination, use_deeplink,
        bot_protection, created_by, created_at, updated_at, rules, clicks)
      SELECT ${firstId} + i, ${team}, 0, 'grown-' || (${firstId} + i), 'grown-' || (${firstId} + i),
        'https://example.com/stories/' || i, 0, 0, ${team}, ${now}, ${now}, '[]', 140 FROM n`,
    `${count(links)} INSERT INTO slug_owners (slug_key, team_id)
      SELECT 'grown-' || (${firstId} + i), ${team} FROM n`,
    `${count(links * LINK_DAYS)} INSERT INTO link_days (link_id, day, clicks, countries, devices, rules, quarters)
      SELECT ${firstId} + i / ${LINK_DAYS}, ${Math.floor(now / DAY)} - i % ${LINK_DAYS}, 7, '{"DE":5,"":2}',
        '{"mobile":7}', '{"-":7}', '{"3":7}' FROM n`,
    `${count(links)} INSERT INTO link_clicks (link_id, at, message, count, clicks)
      SELECT ${firstId} + i, ${now} - i, 'message-' || i, 1, '[[' || (${now} - i) || ',"DE","mobile"]]' FROM n`,
    `INSERT INTO analytics SELECT ${team}, id, 1, NULL, NULL, ${now}, '[]', ${text}, ${known} FROM accounts
      WHERE team_id = ${team} AND id LIKE 'acc_grown_%'`,
    `INSERT INTO analytics_posts SELECT ${team}, id, ${quote(figures)} FROM accounts
      WHERE team_id = ${team} AND id LIKE 'acc_grown_%'`,
    ...growArchive({ team, firstId, posts, now }),
  ];
}

const monthAt = (n: string, now: number) =>
  `strftime('%Y-%m', ${Math.floor(now / 1_000)}, 'unixepoch', 'start of month', '-' || (16 + ${n}) || ' months')`;

/** The index of months that have moved to the archive. */
function growArchive({ team, now }: Growth): string[] {
  const from = `(${now} - (16 + i) * ${MONTH})`;
  const ids = quote(JSON.stringify([1, ...Array<number>(99).fill(3)]));
  return [
    `${count(ARCHIVED_MONTHS)} INSERT INTO archive_files (team_id, month, part, fence, size_bytes, posts)
      SELECT ${team}, ${monthAt("i", now)}, 1, 3, 60000, 300 FROM n`,
    `${count(ARCHIVED_MONTHS * MEMBERS_OF_MONTH)}, mine (i, turn) AS
        (SELECT i / ${MEMBERS_OF_MONTH}, i % ${MEMBERS_OF_MONTH} FROM n)
      INSERT INTO archive_members (team_id, month, part, byte_offset, byte_length, raw_bytes, posts, first_id,
        last_id, first_at, last_at, ids, sha256)
      SELECT ${team}, ${monthAt("i", now)}, 1, turn * 20000, 20000, 100000, 100, 1, 300, ${from}, ${from} + ${DAY},
        ${ids}, ${HASH} FROM mine`,
  ];
}

/** Opens the file of a local instance's database, which must not run. */
export async function openFile(stateDir: string): Promise<DatabaseSync> {
  const folder = join(stateDir, "v3", "d1", "miniflare-D1DatabaseObject");
  const names = await readdir(folder);
  const [name] = names.filter((one) => /^[0-9a-f]{64}\.sqlite$/.test(one));
  if (!name) throw new Error(`${folder} has no database.`);
  return new DatabaseSync(join(folder, name));
}

/** Runs statements without triggers and without waiting for the disk. */
export async function growBy(
  stateDir: string,
  work: (run: (statements: readonly string[]) => void, database: DatabaseSync) => void,
): Promise<void> {
  const database = await openFile(stateDir);
  database.exec(
    "PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; PRAGMA foreign_keys = OFF",
  );
  const triggers = database
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    .all() as { name: string; sql: string }[];
  for (const { name } of triggers) database.exec(`DROP TRIGGER "${name}"`);
  const run = (statements: readonly string[]) => {
    database.exec("BEGIN");
    for (const statement of statements) database.exec(statement);
    database.exec("COMMIT");
  };
  work(run, database);
  run(triggers.map(({ sql }) => sql));
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}
