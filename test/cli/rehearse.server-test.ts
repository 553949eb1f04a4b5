import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, stat } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, afterEach, before, describe, test } from "node:test";
import type { Account, Rehearsal } from "../../src/cli/api.ts";
import {
  describeLeft,
  type RehearsalApi,
  rehearse,
  type Terminal,
} from "../../src/cli/rehearse.ts";
import { Refusal } from "../../src/cli/retry.ts";

const AT = "2026-12-01T09:00:00.000Z";

const rehearsal: Rehearsal = {
  id: 7,
  accountId: "acc_x",
  platform: "x",
  text: "Rehearsal of Akimbo",
  stage: "planning",
  outcome: null,
  audience: null,
  removal: null,
  mayBeOut: false,
  platformPostId: null,
  shareUrl: null,
  summary: "Nothing was published.",
  byHand: "Delete the post on X.",
  createdAt: AT,
  updatedAt: AT,
};

const call = {
  method: "POST",
  address: "https://api.x.com/2/tweets",
  status: 201,
  ms: 12,
  answer: '{"data":{"id":"1"}}',
};

type Step = Awaited<ReturnType<RehearsalApi["stepRehearsal"]>>;

const step = (next: Step["next"], data: Partial<Rehearsal> = {}, more: Partial<Step> = {}): Step =>
  ({
    success: true,
    next,
    afterSeconds: 0,
    note: null,
    calls: [],
    data: { ...rehearsal, ...data },
    ...more,
  }) as Step;

/** The instance as it publishes to X: it asks, publishes once it may, and deletes. */
class FakeInstance {
  readonly calls: string[] = [];
  isPublished = false;
  stage = 0;
  left: Rehearsal[] = [];

  private readonly script: ((acceptPublic: boolean) => Step)[] = [
    () => step("ask", { stage: "asking", audience: "everyone" }, { note: "Everybody can see it." }),
    (acceptPublic) => {
      if (!acceptPublic) {
        this.stage--;
        return step("ask", { stage: "asking", audience: "everyone" });
      }
      this.isPublished = true;
      return step(
        "step",
        { stage: "reading", audience: "everyone", mayBeOut: true },
        { calls: [call] },
      );
    },
    () => {
      this.isPublished = false;
      const over = { stage: "over", outcome: "removed", audience: "everyone" } as const;
      return step("over", { ...over, summary: "The post was published and deleted again." });
    },
  ];

  take(acceptPublic: boolean): Step {
    this.calls.push(`step ${acceptPublic}`);
    const taken = this.script[this.stage++]?.(acceptPublic);
    assert.ok(taken);
    return taken;
  }

  readonly api: RehearsalApi = {
    listAccounts: async () => [
      { id: "acc_x", platform: "x", accountName: "Ada", status: "active", mode: "live" },
      { id: "acc_y", platform: "youtube", accountName: "Bo", status: "active", mode: "live" },
      { id: "acc_z", platform: "youtube", accountName: "Cy", status: "active", mode: "live" },
    ],
    listRehearsals: async () => this.left,
    startRehearsal: async () => rehearsal,
    stepRehearsal: async (_, acceptPublic) => this.take(acceptPublic),
    forgetRehearsal: async (id, isUnpublishedOnly) => {
      this.calls.push(isUnpublishedOnly ? `forget unpublished ${id}` : `forget ${id}`);
      if (isUnpublishedOnly && this.isPublished) throw new Refusal("The rehearsal has gone on.");
    },
  };
}

function terminalOf(ask: Terminal["ask"]) {
  const lines: string[] = [];
  const records: string[] = [];
  const terminal: Terminal = {
    ask,
    tell: (line) => lines.push(line),
    keep: (record) => records.push(record),
    sleep: async () => {},
    command: "akimbo",
  };
  return { terminal, lines, records };
}

const onX = { platform: "x", isAgreed: false };

describe("a public post", () => {
  test("is not published without a terminal and without --yes, and nothing is left to finish", async () => {
    const instance = new FakeInstance();
    const { terminal } = terminalOf(null);
    await assert.rejects(rehearse(instance.api, onX, terminal), /nobody can be asked here.*--yes/s);
    assert.deepEqual(instance.calls, ["step false", "forget unpublished 7"]);
    assert.equal(instance.isPublished, false);
  });

  test("is not published when the owner says no", async () => {
    const instance = new FakeInstance();
    const { terminal, lines } = terminalOf(async () => false);
    await assert.rejects(rehearse(instance.api, onX, terminal), /^Problem|Nothing was published/);
    assert.deepEqual(instance.calls, ["step false", "forget unpublished 7"]);
    assert.match(lines.join("\n"), /Everybody can see the post.*Delete the post on X/s);
  });

  test("is not said to be unpublished when another call has published it meanwhile", async () => {
    const instance = new FakeInstance();
    const { terminal } = terminalOf(async () => {
      instance.isPublished = true;
      return false;
    });
    await assert.rejects(rehearse(instance.api, onX, terminal), /has gone on/);
  });

  test("is published and deleted when the owner says yes, or by --yes", async () => {
    const asked = new FakeInstance();
    const first = terminalOf(async () => true);
    assert.equal((await rehearse(asked.api, onX, first.terminal)).exitCode, 0);
    const agreed = new FakeInstance();
    const second = terminalOf(null);
    const ended = await rehearse(agreed.api, { ...onX, isAgreed: true }, second.terminal);
    assert.equal(ended.exitCode, 0);
    assert.deepEqual(ended.calls, [call]);
    assert.deepEqual(agreed.calls, ["step true", "step true", "step true"]);
    const record = second.records.at(-1) ?? "";
    assert.match(record, /POST https:\/\/api\.x\.com\/2\/tweets -> 201 \(12 ms\)\n {4}\{"data"/);
    assert.match(record, /The post was published and deleted again\./);
  });
});

test("a record that cannot be written ends the command before anything is published", async () => {
  const instance = new FakeInstance();
  const { terminal } = terminalOf(async () => true);
  const keep = () => {
    throw new Error("no space");
  };
  await assert.rejects(rehearse(instance.api, onX, { ...terminal, keep }), /no space/);
  assert.deepEqual(instance.calls, []);
});

test("a record that fails later does not keep the post from being deleted", async () => {
  const instance = new FakeInstance();
  const { terminal } = terminalOf(async () => true);
  let kept = 0;
  const keep = () => {
    if (++kept > 1) throw new Error("no space");
  };
  assert.equal((await rehearse(instance.api, onX, { ...terminal, keep })).exitCode, 0);
  assert.equal(instance.isPublished, false);
});

test("earlier rehearsals that left posts are told first", async () => {
  const instance = new FakeInstance();
  const summary = "The post is still there: id 5.";
  instance.left = [
    { ...rehearsal, id: 3, platform: "tiktok", accountId: "acc_t", mayBeOut: true, summary },
  ];
  const { terminal, lines } = terminalOf(async () => true);
  await rehearse(instance.api, onX, terminal);
  assert.match(lines[0] ?? "", /may have left a post\. To list them: akimbo rehearse --left/);
  assert.equal(
    describeLeft(instance.left, [{ id: "acc_t", mode: "sandbox" }] as Account[]),
    "3  tiktok acc_t (sandbox): The post is still there: id 5.",
  );
});

const asking = (data: Partial<Rehearsal>) => {
  const { terminal, lines } = terminalOf(async () => false);
  const asked = step("ask", { stage: "asking", audience: "everyone", ...data });
  const api = { ...new FakeInstance().api, stepRehearsal: async () => asked };
  return { api, terminal, lines };
};

describe("the question", () => {
  for (const [removal, words] of [
    ["possible", /until it is deleted\. If that fails: Delete the post on X\./],
    ["impossible", /It stays: this login may not delete it\. Delete the post on X\./],
    ["unknown", /It is deleted if this login may do that\. Else: Delete the post on X\./],
  ] as const) {
    test(`about a post whose removal is ${removal}`, async () => {
      const { api, terminal, lines } = asking({ removal });
      await assert.rejects(rehearse(api, onX, terminal), /Nothing was published/);
      assert.match(lines.join("\n"), words);
    });
  }

  test("repeats the options in its hint", async () => {
    const { api } = asking({});
    const { terminal } = terminalOf(null);
    await assert.rejects(
      rehearse(api, { ...onX, note: "it's me", record: "r.txt" }, terminal),
      /akimbo rehearse x --account acc_x --note 'it'\\''s me' --record r\.txt --yes$/,
    );
  });
});

test("a rehearsal with an account of the sandbox says so, also in its record", async () => {
  const instance = new FakeInstance();
  const listAccounts = async () =>
    (await instance.api.listAccounts()).map((one) => ({ ...one, mode: "sandbox" as const }));
  const questions: string[] = [];
  const { terminal, lines, records } = terminalOf(async (question) => {
    questions.push(question);
    return true;
  });
  const ended = await rehearse({ ...instance.api, listAccounts }, onX, terminal);
  assert.equal(ended.mode, "sandbox");
  assert.match(lines[0] ?? "", /account of the sandbox: no call reaches the platform/);
  assert.match(questions[0] ?? "", /in the sandbox\?/);
  assert.match(records.at(-1) ?? "", /account of the sandbox/);
});

test("a rehearsal that goes on says so", async () => {
  const instance = new FakeInstance();
  const begun = { ...rehearsal, stage: "asking" } as const;
  const { terminal, lines, records } = terminalOf(async () => true);
  await rehearse({ ...instance.api, startRehearsal: async () => begun }, onX, terminal);
  assert.match(lines.join("\n"), /is not over: .*\nThis command goes on with it\./);
  assert.match(records.at(-1) ?? "", /, goes on\n/);
});

test("an account has to be named where there are several, and to fit", async () => {
  const { api } = new FakeInstance();
  const { terminal } = terminalOf(null);
  const refused = (platform: string, account?: string) =>
    rehearse(api, { platform, account, isAgreed: false }, terminal);
  await assert.rejects(refused("youtube"), /several accounts.*acc_y.*acc_z/s);
  await assert.rejects(refused("tiktok"), /No account of tiktok is connected/);
  await assert.rejects(refused("x", "acc_none"), /no account acc_none/);
  await assert.rejects(refused("x", "acc_y"), /is an account of youtube, not of x/);
});

describe("the program", () => {
  let server: Server;
  let url: string;
  let instance: FakeInstance;
  let folder: string;
  /** Holds the answer to this step back, as a crash in the middle would. */
  let isHeld = false;
  let onHeld: () => void = () => {};
  const children: ChildProcess[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "akimbo-rehearse-"));
    server = createServer(async (request, response) => {
      const body = await text(request);
      const { api } = instance;
      const answer = async () => {
        const path = `${request.method} ${request.url?.split("?")[0]}`;
        if (path === "GET /api/v1/accounts") return { data: await api.listAccounts() };
        if (path === "GET /api/v1/rehearsals") return { data: await api.listRehearsals() };
        if (path === "POST /api/v1/rehearsals") {
          if (JSON.parse(body).note === "") return { data: rehearsal };
          response.statusCode = 400;
          return { success: false, error: "note: must hold no link" };
        }
        if (path === "DELETE /api/v1/rehearsals/7") {
          await api.forgetRehearsal(7, request.url?.includes("unpublished=true") ?? false);
          return { message: "Forgotten." };
        }
        return api.stepRehearsal(7, JSON.parse(body).acceptPublic);
      };
      const answered = await answer();
      if (isHeld && instance.isPublished) return onHeld();
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ success: true, ...answered }));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    isHeld = false;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  function start(...args: string[]) {
    const program = new URL("../../src/cli/akimbo.ts", import.meta.url).pathname;
    const child = spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", program, "rehearse", ...args, "--url", url],
      { env: { ...process.env, AKIMBO_URL: url, AKIMBO_TOKEN: `kmb_${"0".repeat(64)}` } },
    );
    children.push(child);
    child.stdin.end();
    const ending = [text(child.stdout), text(child.stderr), once(child, "exit")] as const;
    const ended = Promise.all(ending).then(([stdout, stderr, [code]]) => ({
      stdout,
      stderr,
      code,
    }));
    return { child, ended };
  }

  test("refuses a public post without a terminal", async () => {
    instance = new FakeInstance();
    const { code, stderr } = await start("x").ended;
    assert.equal(code, 2);
    assert.match(stderr, /nobody can be asked here/);
    assert.equal(instance.isPublished, false);
  });

  test("writes the record for the owner alone, and prints JSON where no terminal is", async () => {
    instance = new FakeInstance();
    const record = join(folder, "record.txt");
    const { code, stdout } = await start("x", "--yes", "--record", record).ended;
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).rehearsal.outcome, "removed");
    const first = await readFile(record, "utf8");
    assert.match(first, /-> 201/);
    assert.equal((await stat(record)).mode & 0o077, 0);
    instance = new FakeInstance();
    assert.equal((await start("x", "--yes", "--record", record).ended).code, 0);
    const both = await readFile(record, "utf8");
    assert.ok(both.startsWith(`${first}\n`));
    assert.equal(both.match(/-> 201/g)?.length, 2);
  });

  test("names its option when the API refuses the note", async () => {
    instance = new FakeInstance();
    const { code, stderr } = await start("x", "--note", "see a.test").ended;
    assert.equal(code, 1);
    assert.match(stderr, /400 --note must hold no link/);
  });

  test("killed in the middle, says on the next start what may be out", async () => {
    instance = new FakeInstance();
    isHeld = true;
    const held = new Promise<void>((resolve) => {
      onHeld = resolve;
    });
    const { child, ended } = start("x", "--yes");
    await held;
    child.kill("SIGKILL");
    await ended;
    isHeld = false;
    const summary = "The post may be out: it was sent.";
    instance.left = [{ ...rehearsal, stage: "submitting", mayBeOut: true, summary }];
    const { code, stdout } = await start("--left", "--no-json").ended;
    assert.equal(code, 0);
    assert.match(stdout, /7 {2}x acc_x: The post may be out/);
  });

  test("takes a platform, or --left, or --forget, and not two of them", async () => {
    instance = new FakeInstance();
    for (const args of [
      [],
      ["x", "--left"],
      ["x", "--forget", "7"],
      ["--forget", "x"],
      ["myspace"],
    ]) {
      assert.equal((await start(...args).ended).code, 2, args.join(" "));
    }
    assert.equal((await start("--forget", "7").ended).code, 0);
    assert.deepEqual(instance.calls, ["forget 7"]);
  });
});
