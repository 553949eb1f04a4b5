import { afterAll, expect, test } from "vitest";
import type { Scope } from "../../../src/core/scopes.ts";
import type { Role } from "../../../src/deps.ts";
import { callTool } from "../../support/agent.ts";
import { DOORS, type Visitor } from "../../support/doors.ts";
import { createMember, createToken, joinTeam } from "../../support/harness.ts";
import { beginLife, type Life } from "../../support/life.ts";
import { Browser } from "../../support/person.ts";

const ROLES: Role[] = ["OWNER", "ADMIN", "MEMBER"];
const SCOPES: Scope[][] = [["*"], ["posts:publish"], ["posts:write"]];
const PINNED = [true, false];

let serial = 0;

async function createVisitor(
  life: Life,
  role: Role,
  scopes: Scope[],
  isPinned: boolean,
): Promise<Visitor> {
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
async function letTimePass({ harness }: Life, id: number): Promise<void> {
  for (let hour = 0; hour < 2; hour++) {
    await harness.drain();
    harness.advance(3_600);
    await harness.tick();
  }
  await harness.drain();
  await harness.consume([{ kind: "publish", uploadId: id }]);
}

interface Cell {
  role: Role;
  scopes: Scope[];
  isPinned: boolean;
  isForced: boolean;
}

const CELLS: Cell[] = ROLES.flatMap((role) =>
  SCOPES.flatMap((scopes) =>
    PINNED.flatMap((isPinned) =>
      [true, false].map((isForced) => ({ role, scopes, isPinned, isForced })),
    ),
  ),
);

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
    const cells = isPage ? CELLS.filter(({ scopes }) => scopes.includes("*")) : CELLS;
    const life = await beginLife();
    for (const cell of cells) {
      const { role, scopes, isPinned, isForced } = cell;
      await life.call("PATCH", "/settings", { requireMemberApproval: isForced });
      const id = await enter(await createVisitor(life, role, scopes, isPinned));
      await letTimePass(life, id);
      const { status } = await life.row(id);
      const mayApprove = role !== "MEMBER" && !scopes.includes("posts:write");
      const mayPublish =
        mayApprove || (role === "MEMBER" && !isForced && !scopes.includes("posts:write"));
      const isAllowed = asks === "approve" ? mayApprove : mayPublish;
      tried++;
      if (status === "completed" && isAllowed) published++;
      if (status === "completed" && !isAllowed) unapproved.push(`${name}: ${JSON.stringify(cell)}`);
      found[JSON.stringify(cell)] = status;
      wanted[JSON.stringify(cell)] = isAllowed ? "completed" : "pending_approval";
    }
    expect(found).toEqual(wanted);
  },
);

test("none of them was published unapproved", () => {
  expect(unapproved).toEqual([]);
});
