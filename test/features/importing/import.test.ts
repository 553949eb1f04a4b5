import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createMember, createToken, form, Harness } from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";

async function onStage() {
  const harness = new Harness();
  const member = await createMember();
  const { token, teamId } = member;
  const connect = async (platform: string, name = "Ada"): Promise<string> => {
    const answer = await harness.call("POST", "/accounts", {
      token,
      json: { platform, sandbox: true, name },
    });
    return answer.body.data.id;
  };
  const send = (csv: string | Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}) =>
    harness.call("POST", "/upload/import", {
      token,
      body: form({ file: new File([csv], "posts.csv", { type: "text/csv" }), ...fields }),
    });
  return {
    harness,
    member,
    connect,
    dryRun: send,
    run: (csv: string, fields = {}) => send(csv, { dryRun: "false", ...fields }),
    uploads: async () =>
      (
        await env.DB.prepare("SELECT COUNT(*) AS n FROM uploads WHERE team_id = ?")
          .bind(teamId)
          .first<{ n: number }>()
      )?.n,
  };
}

test("a dry run judges every row and stores nothing", async () => {
  const { connect, dryRun, uploads } = await onStage();
  const id = await connect("bluesky");
  const answer = await dryRun(
    `account,description,scheduledFor\n${id},One,2026-12-24 18:00\n${id},,\nbluesky:ada,"Two, with a comma",\n`,
    { timezone: "Europe/Berlin" },
  );
  expect(answer.status).toBe(200);
  const { rows, ...rest } = answer.body;
  expect(rest).toMatchObject({
    success: true,
    dryRun: true,
    dialect: "akimbo",
    timezone: "Europe/Berlin",
    created: 0,
    skipped: 0,
  });
  expect(rows).toMatchObject([
    { row: 2, valid: true, errors: [], scheduledFor: "2026-12-24T17:00:00.000Z", uploadId: null },
    { row: 3, valid: false },
    { row: 4, valid: true, status: "pending", accountId: id },
  ]);
  expect(await uploads()).toBe(0);
});

const later = (minutes: number): string =>
  new Date(Date.UTC(2026, 11, 24) + minutes * 60_000).toISOString();

const sheetOf = (account: string, rows: number): string =>
  ["account,description,scheduledFor"]
    .concat(
      Array.from({ length: rows }, (_, i) => `${account},${words(i)} number ${i},${later(i * 15)}`),
    )
    .join("\n");

/** Texts that are not alike. */
const words = (i: number): string =>
  Array.from({ length: 12 }, (_, j) => ((i * 2_654_435_761 + j * 40_503) >>> 7).toString(36)).join(
    " ",
  );

test("posts are made once, however often the file is sent", async () => {
  const { connect, run, uploads, harness, member } = await onStage();
  const csv = sheetOf(await connect("bluesky"), 60);
  const first = await run(csv);
  expect(first.body).toMatchObject({ dryRun: false, created: 60, skipped: 0 });
  const ids = first.body.rows.map(({ uploadId }: { uploadId: number }) => uploadId);
  expect(new Set(ids).size).toBe(60);
  const again = await run(csv);
  expect(again.body).toMatchObject({ created: 0, skipped: 60 });
  expect(again.body.rows.map(({ uploadId }: { uploadId: number }) => uploadId)).toEqual(ids);
  expect(await uploads()).toBe(60);
  const [{ id }] = (await harness.call("GET", "/upload", { token: member.token })).body.data;
  const post = (await harness.call("GET", `/upload/${id}`, { token: member.token })).body.data;
  expect(post).toMatchObject({ status: "scheduled", scheduledFor: later(59 * 15) });
});

test("ten calls with the same file at once make each post once", async () => {
  const { connect, run, uploads } = await onStage();
  const csv = sheetOf(await connect("bluesky"), 55);
  const answers = await Promise.all(Array.from({ length: 10 }, () => run(csv)));
  const created = answers.reduce((sum, { body }) => sum + (body.created ?? 0), 0);
  expect(created).toBe(55);
  for (const { status, body } of answers) {
    expect(status === 200 || body.code === "QUEUE_BUSY").toBe(true);
  }
  expect(await uploads()).toBe(55);
});

test("a slice of 50 rows takes two round trips", async () => {
  const { harness, connect, run } = await onStage();
  const csv = sheetOf(await connect("bluesky"), 500);
  const { result, costs } = await measure(harness, () => run(csv));
  expect(result.body).toMatchObject({ created: 500 });
  expect(costs.roundTrips.length).toBeLessThanOrEqual(2 + 10 * 2);
});

test("an importId makes its post once, also from another file", async () => {
  const { connect, run } = await onStage();
  const id = await connect("bluesky");
  const head = "account,importId,description,scheduledFor";
  await run(`${head}\n${id},spring-1,Wrong day,2026-12-24T18:00:00Z\n`);
  const answer = await run(
    `${head}\n${id},spring-1,Right day,2026-12-25T18:00:00Z\n${id},spring-2,Another one,2026-12-26T18:00:00Z\n${id},spring-2,A third,2026-12-27T18:00:00Z\n`,
  );
  expect(answer.body).toMatchObject({ created: 1, skipped: 1 });
  expect(answer.body.rows[2].errors[0].message).toMatch("stands above");
});

test("rows of a corrected file that are as before make no second post", async () => {
  const { connect, run } = await onStage();
  const id = await connect("bluesky");
  const head = "account,description,scheduledFor,status";
  const draft = `${id},"An idea, without a date",,draft`;
  await run(`${head}\n${draft}\n${id},Nineteen,2026-12-24T19:00,\n${id},Wrong,24.13.2026 18:00,\n`);
  const mended = await run(
    `description,account,status,scheduledFor,note\n"An idea, without a date",${id},draft,,x\nRight,${id},,24.12.2026 18:00,\nNineteen,${id},,2026-12-24T19:00,\n`,
  );
  expect(mended.body).toMatchObject({ created: 1, skipped: 2 });
  expect(mended.body.rows[0].warnings).toEqual([
    "An earlier import made this post. It stays as it is.",
  ]);
});

test("equal rows of a file are different posts, each made once", async () => {
  const { connect, run } = await onStage();
  const id = await connect("bluesky");
  const csv = `account,description,status\n${id},Idea,draft\n${id},Idea,draft\n`;
  expect((await run(csv)).body).toMatchObject({ created: 2, skipped: 0 });
  expect((await run(csv)).body).toMatchObject({ created: 0, skipped: 2 });
});

test("a post that was deleted is made again", async () => {
  const { connect, run, harness, member } = await onStage();
  const csv = sheetOf(await connect("bluesky"), 2);
  const [{ uploadId }] = (await run(csv)).body.rows;
  await harness.call("DELETE", `/upload/${uploadId}`, { token: member.token });
  expect((await run(csv)).body).toMatchObject({ created: 1, skipped: 1 });
});

test("a row for several accounts makes a post for each", async () => {
  const { connect, run } = await onStage();
  const bluesky = await connect("bluesky");
  const threads = await connect("threads");
  const answer = await run(`account,description\n"${bluesky}, threads",Hello\n`);
  expect(answer.body.rows.map(({ accountId }: { accountId: string }) => accountId)).toEqual([
    bluesky,
    threads,
  ]);
  expect(answer.body.created).toBe(2);
});

test("the same text twice for one account and time is refused below the first", async () => {
  const { connect, run } = await onStage();
  const id = await connect("bluesky");
  const answer = await run(
    `account,description\n${id},Hello to all of you\n${id},hello to all of you\n`,
  );
  expect(answer.body).toMatchObject({ created: 1 });
  expect(answer.body.rows[1]).toMatchObject({
    valid: false,
    errors: [{ field: "", message: expect.stringContaining("stands above in the file") }],
  });
});

test("posts of a token that may not publish are held for approval", async () => {
  const { connect, harness, member } = await onStage();
  const id = await connect("bluesky");
  const token = await createToken(member.userId, { scopes: ["posts:write"] });
  const body = form({
    file: new File([`account,description\n${id},Hello\n`], "posts.csv"),
    dryRun: "false",
  });
  const answer = await harness.call("POST", "/upload/import", { token, body });
  expect(answer.body.rows[0]).toMatchObject({ valid: true, status: "pending_approval" });
});

const PLATFORM_DATES: [text: string, at: string][] = [
  ["2026-12-24T18:00:00+01:00", "2026-12-24T17:00:00.000Z"],
  ["2026-12-24 18:00", "2026-12-24T17:00:00.000Z"],
  ["2026/12/24 6:00 PM", "2026-12-24T17:00:00.000Z"],
  ["24.12.2026 18:00", "2026-12-24T17:00:00.000Z"],
  ["12/24/26 18:00", "2026-12-24T17:00:00.000Z"],
  ["24/12/2026 18:00", "2026-12-24T17:00:00.000Z"],
];

test.for(PLATFORM_DATES)("reads %s in the zone of the call", async ([text, at]) => {
  const { connect, dryRun } = await onStage();
  const id = await connect("bluesky");
  const csv = `account,description,scheduledFor\n${id},Hello,"${text}"\n`;
  const answer = await dryRun(csv, { timezone: "Europe/Berlin" });
  expect(answer.body.rows[0]).toMatchObject({ valid: true, scheduledFor: at });
});

const REFUSED_DATES: [text: string, message: string][] = [
  ["04/05/2027 18:00", "day or the month"],
  ["2026-12-24", "has no time"],
  ["2026-02-30 18:00", "does not exist"],
  ["next Friday at 2 PM", "not a date"],
  ["46380.75", "not a date"],
  ["2026-12-24 25:00", "not a date"],
  ["2020-12-24 18:00", "future"],
];

test.for(REFUSED_DATES)("refuses %s, and says why", async ([text, message]) => {
  const { connect, dryRun } = await onStage();
  const id = await connect("bluesky");
  const csv = `account,description,scheduledFor\n${id},Hello,"${text}"\n`;
  const [row] = (await dryRun(csv)).body.rows;
  expect(row.valid).toBe(false);
  expect(row.errors[0]).toMatchObject({
    field: "scheduledFor",
    message: expect.stringContaining(message),
  });
});

test("a column with days first and months first is refused where it is unclear", async () => {
  const { connect, dryRun } = await onStage();
  const id = await connect("bluesky");
  const rows = ["24/12/2026 18:00", "12/24/2026 19:00", "2026-12-24 20:00"].map(
    (date, i) => `${id},${words(i)},${date}`,
  );
  const answer = await dryRun(["account,description,scheduledFor", ...rows].join("\n"));
  expect(answer.body.rows.map(({ valid }: { valid: boolean }) => valid)).toEqual([
    false,
    false,
    true,
  ]);
});

test("an hour that the clocks leave out is told", async () => {
  const { connect, dryRun } = await onStage();
  const id = await connect("bluesky");
  const answer = await dryRun(`account,description,scheduledFor\n${id},Hello,2027-03-28 02:30\n`, {
    timezone: "Europe/Berlin",
  });
  expect(answer.body.rows[0].warnings[0]).toMatch("does not exist in Europe/Berlin");
});

const SHEETS: [name: string, csv: string, expected: object[]][] = [
  [
    "ayrshare",
    'post,platforms,mediaUrls,scheduleDate\nA great post,"bluesky, threads",,2026-12-08T12:30:00Z\n',
    [
      { platform: "bluesky", scheduledFor: "2026-12-08T12:30:00.000Z", valid: true },
      { platform: "threads", valid: true },
    ],
  ],
  [
    "publer",
    'Date - Intl. format or prompt,Text,Link(s) - Separated by comma for FB carousels,Media URL(s) - Separated by comma,"Title - For the video, pin, PDF ..",Label(s) - Separated by comma,Alt text(s) - Separated by ||,Comment(s) - Separated by ||,"Pin board, FB album, or Google category","Post subtype - I.e. story, reel, PDF ..",CTA - For Facebook links or Google,"Reminder - For stories, reels, shorts, and TikToks"\n2026-12-19 20:35,Hello from Publer,https://example.com/a,https://example.com/1.jpg,,spring,A red door,,,,,\n,No date here,,,,,,,,,,\n',
    [
      { platform: "bluesky", scheduledFor: "2026-12-19T20:35:00.000Z", valid: true },
      { platform: "bluesky", status: "draft", valid: true },
    ],
  ],
  [
    "buffer",
    "Text,Image URL,Tags,Posting Time\nToday's special,https://example.com/1.jpg,,2026-12-15 12:30\nAnother one,,,12/16/26 17:30\n",
    [
      { platform: "bluesky", scheduledFor: "2026-12-15T12:30:00.000Z", valid: true },
      { platform: "bluesky", scheduledFor: "2026-12-16T17:30:00.000Z", valid: true },
    ],
  ],
];

test.for(SHEETS)("recognises a sheet of %s", async ([name, csv, expected]) => {
  const { connect, dryRun } = await onStage();
  await connect("bluesky");
  await connect("threads");
  const answer = await dryRun(csv, { account: "bluesky" });
  expect(answer.body).toMatchObject({ dialect: name, rows: expected });
});

test("a link goes into the text where the platform has no field for it", async () => {
  const { connect, run, harness, member } = await onStage();
  await connect("bluesky");
  const answer = await run(
    "Date,Text,Link(s)\n2026-12-19 20:35,Read this,https://example.com/a\n",
    {
      account: "bluesky",
    },
  );
  const { uploadId } = answer.body.rows[0];
  const post = await harness.call("GET", `/upload/${uploadId}`, { token: member.token });
  expect(post.body.data.description).toBe("Read this\n\nhttps://example.com/a");
});

test("columns are mapped by hand where no dialect knows them", async () => {
  const { connect, dryRun } = await onStage();
  const id = await connect("bluesky");
  const csv = `Konto;Inhalt;Termin;Notiz\n${id};Hallo;24.12.2026 18:00;intern\n`;
  const unknown = await dryRun(csv);
  expect(unknown.status).toBe(400);
  expect(unknown.body.error).toMatch("Konto, Inhalt, Termin, Notiz");
  const mapping = { account: "Konto", description: "Inhalt", scheduledFor: "Termin" };
  const answer = await dryRun(csv, { mapping: JSON.stringify(mapping) });
  expect(answer.body).toMatchObject({
    dialect: "mapped",
    columns: mapping,
    ignoredColumns: ["Notiz"],
    rows: [{ valid: true, scheduledFor: "2026-12-24T18:00:00.000Z" }],
  });
});

test("a formula that our export has quoted is read without the quote", async () => {
  const { connect, run, harness, member } = await onStage();
  const id = await connect("bluesky");
  const answer = await run(`account,description\n${id},'=1+1 is two\n`);
  const { uploadId } = answer.body.rows[0];
  const post = await harness.call("GET", `/upload/${uploadId}`, { token: member.token });
  expect(post.body.data.description).toBe("=1+1 is two");
});

const utf16 = (text: string) =>
  new Uint8Array([0xff, 0xfe, ...[...text].flatMap((c) => [c.charCodeAt(0), 0])]);

test("a sheet in UTF-16, as spreadsheets save it, is read", async () => {
  const { connect, dryRun } = await onStage();
  const id = await connect("bluesky");
  const answer = await dryRun(utf16(`account\tdescription\r\n${id}\tHello\r\n`));
  expect(answer.body).toMatchObject({ rows: [{ valid: true }] });
});

const REFUSED_FILES: [
  what: string,
  csv: string | Uint8Array<ArrayBuffer>,
  fields: object,
  message: string,
][] = [
  ["no rows", "account,description\n", {}, "has no rows"],
  ["another encoding", new Uint8Array([97, 44, 98, 10, 0xe4, 0xf6, 44, 0xfc]), {}, "UTF-8"],
  ["a quote without end", 'account,description\nacc_1,"Hello\nacc_1,Two\n', {}, "does not end"],
  ["two columns of one name", "account,account\nacc_1,acc_2\n", {}, "two columns named"],
  [
    "a date column by another name",
    "account,description,publish_date\na,b,c\n",
    {},
    "scheduledFor",
  ],
  ["an unknown zone", "account,description\na,b\n", { timezone: "Mars/Base" }, "timezone"],
  ["a mapping that is no JSON", "account,description\na,b\n", { mapping: "{" }, "mapping"],
  ["a mapping to an unknown field", "a,b\na,b\n", { mapping: '{"texxt":"a"}' }, "is no field"],
  ["a mapping of an absent column", "a,b\na,b\n", { mapping: '{"title":"c"}' }, "no column c"],
  [
    "a mapping of two fields to a column",
    "a,b\na,b\n",
    { mapping: '{"title":"a","description":"a"}' },
    "two fields name the column a",
  ],
  ["an unclear dryRun", "account,description\na,b\n", { dryRun: "perhaps" }, "dryRun"],
  ["an account that is not connected", "description\nb\n", { account: "tiktok" }, "TikTok"],
];

test.for(REFUSED_FILES)("refuses %s", async ([, csv, fields, message]) => {
  const { dryRun } = await onStage();
  const answer = await dryRun(csv, fields as Record<string, string>);
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ success: false, error: expect.stringContaining(message) });
});

test("a sheet of 6 MB and one of 501 rows are refused", async () => {
  const { connect, dryRun } = await onStage();
  const large = await dryRun(`account,description\n${"a".repeat(6_000_000)}\n`);
  expect(large.status).toBe(413);
  const many = await dryRun(sheetOf(await connect("bluesky"), 501));
  expect(many.body.error).toMatch("501 rows");
});

test.for([
  "Scheduled Date",
  "Posting Time",
  "Date & Time",
  "publish_at",
  "When",
  "publishDate",
  "sendAt",
])("a column named %s is no date that is overlooked", async (column) => {
  const { dryRun } = await onStage();
  const answer = await dryRun(`account,caption,${column}\na,b,c\n`);
  expect(answer.body.error).toContain("scheduledFor");
});

test("an unknown column with nothing but dates is not overlooked", async () => {
  const { dryRun } = await onStage();
  const answer = await dryRun("account,caption,Termin\na,b,24.12.2026 18:00\nc,d,\n");
  expect(answer.body.error).toContain("the column Termin is no field here");
});

test("a sheet of 200,000 columns is refused before they are looked at", async () => {
  const { dryRun } = await onStage();
  const header = Array.from({ length: 200_000 }, (_, i) => `c${i}`).join(",");
  expect((await dryRun(`${header}\na\n`)).body.error).toContain("has 200000 columns");
});

test("an impossible date takes no part in the order of day and month", async () => {
  const { dryRun, connect } = await onStage();
  const id = await connect("bluesky");
  const answer = await dryRun(
    `account,caption,scheduledFor\n${id},One,24/12/2026 18:00\n${id},Two,32/13/2026 18:00\n`,
  );
  expect(answer.body.rows).toMatchObject([
    { valid: true, scheduledFor: "2026-12-24T18:00:00.000Z" },
    { valid: false, errors: [{ message: expect.stringContaining("does not exist") }] },
  ]);
});

test("YouTube's own date on a row of another platform is refused", async () => {
  const { connect, dryRun } = await onStage();
  const id = await connect("bluesky");
  const csv = `account,description,scheduledDate\n${id},Hello,2026-12-24T18:00:00Z\n`;
  const [row] = (await dryRun(csv)).body.rows;
  expect(row.errors[0]).toMatchObject({ field: "scheduledDate" });
});

test("the same sheet is the same file, whatever its line ends and its last line", async () => {
  const { connect, run } = await onStage();
  const id = await connect("bluesky");
  const csv = `account,description,status\n${id},Hello,draft`;
  expect((await run(csv)).body.created).toBe(1);
  for (const other of [`${csv}\n\n`, csv.replaceAll("\n", "\r\n"), `\uFEFF${csv}`]) {
    expect((await run(other)).body).toMatchObject({ created: 0, skipped: 1 });
  }
});

test("500 rows for two accounts make 1,000 posts, and more are refused", async () => {
  const { connect, dryRun } = await onStage();
  const ids = [await connect("bluesky"), await connect("threads"), await connect("linkedin")];
  const sheet = (accounts: string[]) => sheetOf(`"${accounts.join(",")}"`, 500);
  expect((await dryRun(sheet(ids.slice(0, 2)))).body.rows).toHaveLength(1_000);
  expect((await dryRun(sheet(ids))).body.error).toContain("more than 1000 posts");
});

test("a link is added to a mapped description", async () => {
  const { connect, run, harness, member } = await onStage();
  const id = await connect("bluesky");
  const mapping = JSON.stringify({ account: "A", description: "Words", link: "URL" });
  const answer = await run(`A,Words,URL\n${id},Read this,https://example.com/a\n`, { mapping });
  const { uploadId } = answer.body.rows[0];
  const post = await harness.call("GET", `/upload/${uploadId}`, { token: member.token });
  expect(post.body.data.description).toBe("Read this\n\nhttps://example.com/a");
});
