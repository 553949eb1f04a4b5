import { afterAll, expect, test } from "vitest";
import type { Scope } from "../../../src/core/scopes.ts";
import type { Role } from "../../../src/deps.ts";
import { callTool } from "../../support/agent.ts";
import { DOORS, type Door, type Visitor } from "../../support/doors.ts";
import { createMember, createToken, joinTeam } from "../../support/harness.ts";
import { beginLife, type Life } from "../../support/life.ts";
import { isFull } from "../../support/load.ts";
import { Browser } from "../../support/person.ts";

const ROLES: Role[] = ["OWNER", "ADMIN", "MEMBER"];
const SCOPES: Scope[][] = [["*"], ["posts:publish"], ["posts:write"]];
const PINNED = [true, false];

let serial = 0;

async function createVisitor(life: Life, { role, scopes, isPinned }: Cell): Promise<Visitor> {
  const { harness } = life;
  const { teamId } = life.member;
  const { userId } = await createMember();
  await joinTeam(teamId, userId, role);
  const token = await createToken(userId, { scopes, teamId: isPinned ? teamId : null });
  const headers: Record<string, string> = isPinned ? {} : { "x-team-id": String(teamId) };
  const browser = (await new Browser(harness).signIn({ userId })).show(teamId);
  return {
    life,
    call: (method, path, sent) => harness.call(method, path, { token, headers, ...sent }),
    callTool: (name, args) => callTool(harness, token, name, args, { headers }),
    browser,
    words: `Post ${++serial}`,
  };
}

/** The times at which anything planned goes out, and every message, lost or not. */
async function letTimePass({ harness }: Life, ids: number[]): Promise<void> {
  for (let hour = 0; hour < 2; hour++) {
    await harness.drain();
    harness.advance(3_600);
    await harness.tick();
  }
  await harness.drain();
  for (const uploadId of ids) await harness.consume([{ kind: "publish", uploadId }]);
}

interface Cell {
  role: Role;
  scopes: Scope[];
  isPinned: boolean;
  isForced: boolean;
}

/** Everybody, while the team requires approval and while it does not. */
const CELLS: Cell[][] = [true, false].map((isForced) =>
  ROLES.flatMap((role) =>
    SCOPES.flatMap((scopes, i) => {
      const kinds = isFull ? PINNED : PINNED.slice(i % 2, (i % 2) + 1);
      return kinds.map((isPinned) => ({ role, scopes, isPinned, isForced }));
    }),
  ),
);

function isAllowed({ role, scopes, isForced }: Cell, asks: Door["asks"]): boolean {
  const mayApprove = role !== "MEMBER" && !scopes.includes("posts:write");
  const mayPublish =
    mayApprove || (role === "MEMBER" && !isForced && !scopes.includes("posts:write"));
  return asks === "approve" ? mayApprove : mayPublish;
}

let tried = 0;
let published = 0;
const unapproved: string[] = [];

afterAll(() => {
  console.log(
    `Approval: ${DOORS.length} doors, ${tried} visits, ${published} posts published by those who may, ${unapproved.length} unapproved.`,
  );
});

test.each(DOORS)(
  "$name: nothing goes out that nobody may let out",
  {
    timeout: 120_000,
  },
  async ({ name, asks, isPage, enter }) => {
    const found: Record<string, string> = {};
    const wanted: Record<string, string> = {};
    const life = await beginLife();
    for (const everybody of CELLS) {
      const cells = isPage ? everybody.filter(({ scopes }) => scopes.includes("*")) : everybody;
      const requireMemberApproval = cells.some(({ isForced }) => isForced);
      await life.call("PATCH", "/settings", { requireMemberApproval });
      const ids: number[] = [];
      for (const cell of cells) {
        ids.push(await enter(await createVisitor(life, cell)));
        await life.harness.drain();
      }
      await letTimePass(life, ids);
      for (const [i, cell] of cells.entries()) {
        const { status } = await life.row(ids[i] ?? 0);
        const isGood = isAllowed(cell, asks);
        tried++;
        if (status === "completed" && isGood) published++;
        if (status === "completed" && !isGood) unapproved.push(`${name}: ${JSON.stringify(cell)}`);
        found[JSON.stringify(cell)] = status;
        wanted[JSON.stringify(cell)] = isGood ? "completed" : "pending_approval";
      }
    }
    expect(found).toEqual(wanted);
  },
);

test("none of them was published unapproved", () => {
  expect(unapproved).toEqual([]);
});
