import { PLATFORMS } from "../../src/core/platforms.ts";
import { DAY, MINUTE } from "../../src/core/time.ts";

/** About as long as the captions of the demo's year. */
const CAPTION =
  "A small repair at the harbour, and what it taught us about wood, patience and the weather: ";

/** Of a post with a picture, as the composer stores it. */
const SETTINGS = JSON.stringify({
  langs: ["en"],
  labels: [],
  threadgate: null,
  quotes: true,
  altText: "A boat on the slip, seen from the pier",
});

interface Load {
  team: number;
  rows: number;
  /** Epoch ms. */
  from: number;
  /** All posts are within these days. */
  days?: number;
}

const HASH = "lower(hex(randomblob(32)))";

/** SQL that stores published and failed posts of one account, each with the columns that a real one has. */
export function loadOldPosts({ team, rows, from, days = 28 }: Load): string[] {
  const step = Math.floor((days * DAY) / rows / MINUTE) * MINUTE || MINUTE;
  const at = `(${from} + i * ${step} % ${days * DAY})`;
  return [
    `INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode, status, connected_at)
      VALUES ('acc_old_${team}', ${team}, 'bluesky', 'did:plc:old${team}', 'Old', 'sandbox', 'active', 0)
      ON CONFLICT DO NOTHING`,
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows - 1})
      INSERT INTO uploads (team_id, account_id, platform, created_by, status, status_group, title, description,
        settings, media, file_size, origin, scheduled_for, sort_at, created_at, attempt, stage, fence,
        submitted_at, counted_at, uploaded_at, failed_at, failure_code, error_message, metadata, approved_hash,
        submits, text_digest, approved_by, approver_id)
      SELECT ${team}, 'acc_old_${team}', '${PLATFORMS[6]}', 1,
        iif(i % 50, 'completed', 'failed'), iif(i % 50, 'completed', 'failed'), NULL,
        '${CAPTION}' || i || ' #harbour #wood https://example.com/stories/' || i,
        '${SETTINGS}',
        json_array(json_object('sha256', ${HASH}, 'kind', 'image', 'isGone', json('true'),
          'hasThumbnail', json('true'))),
        200000 + i, 'https://social.example.com', ${at}, ${at}, ${at} - 86400000, 1, 'settling', 3,
        ${at} + 900, ${at} + 500, iif(i % 50, ${at} + 2000, NULL), iif(i % 50, NULL, ${at} + 2000),
        iif(i % 50, NULL, 'rate_limited'), iif(i % 50, NULL, 'Rate Limit Exceeded'),
        iif(i % 50, json_object('videoId', 'at://did:plc:abcdefghijklmnop/app.bsky.feed.post/3k' || i,
          'shareUrl', 'https://bsky.app/profile/harbour.example.com/post/3k' || i), NULL),
        ${HASH}, 1,
        json_object('hash', ${HASH}, 'files', ${HASH}, 'mentions', json('[]')), 'team', 1
      FROM n`,
    `INSERT INTO uploads (team_id, account_id, platform, status, status_group, settings, media, sort_at, created_at)
      VALUES (${team}, 'acc_old_${team}', 'bluesky', 'draft', 'draft', '{}', '[]', ${Date.UTC(2026, 10, 1)}, 0)`,
  ];
}
