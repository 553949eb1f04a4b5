import { type Context, Hono } from "hono";
import { ZoneClock } from "../../../core/zone.ts";
import { readForm } from "../../../http/pages.tsx";
import { TeamForm } from "../../../pages/team-form.tsx";
import { clockOf, Time } from "../../../pages/times.tsx";
import { accountsOfTeam } from "../../accounts/repo.ts";
import { type PageEnv, signedIn } from "../../auth/signed-in.ts";
import type { PoolLine } from "../../pools/pages.ts";
import { zoneOfTeam } from "../../settings/repo.ts";
import { Button, InputField } from "../form-parts.tsx";
import { formCall } from "../once.ts";
import { doneNotice, NoticeLine, renderOwnPage, Section, State } from "../parts.tsx";
import { readFields, type Shown } from "../refusals.ts";
import { attemptForm, type FormState, formState, type ShownForm, sentFields } from "./refused.ts";
import { POOL_STYLES } from "./styles.ts";
import { dayInWords, itemCount, outlookInWords } from "./words.ts";

export const poolsPage = new Hono<PageEnv>();

export const POOLS = "/app/pools";

const DONE_MESSAGES: Record<string, string> = {
  deleted: "The pool is deleted. Posts that were on their way stay.",
};

poolsPage.get(POOLS, signedIn("read:pages"), (c) =>
  showPools(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

poolsPage.post(POOLS, signedIn("write"), async (c) => {
  const form = await readForm(c);
  const { createPool, newPoolSchema } = await import("../../pools/pages.ts");
  let id = 0;
  const refused = await attemptForm(
    "new",
    () => sentFields(form),
    async () => {
      const fields = { name: form.get("name"), timezone: form.get("timezone") };
      ({ id } = await createPool(c.var.ctx, readFields(newPoolSchema, fields), formCall(c)));
    },
  );
  return refused ? showPools(c, refused) : c.redirect(`${POOLS}/${id}?done=made`, 303);
});

async function showPools(
  c: Context<PageEnv>,
  { notice, status, ...shown }: Shown & Partial<ShownForm>,
): Promise<Response> {
  const { ctx } = c.var;
  const { listReads, toPoolLines } = await import("../../pools/pages.ts");
  const now = ctx.now();
  const [[zone = null], accounts, ...found] = await ctx.read("pools:read", [
    zoneOfTeam({ team: ctx.team }),
    accountsOfTeam(ctx.team, {}),
    ...listReads(ctx.team, now),
  ]);
  const lines = toPoolLines(found, accounts, now);
  const state = formState("new", shown.refused ?? null);
  return renderOwnPage(
    c,
    { title: "Pools", here: POOLS, status, styles: POOL_STYLES },
    <>
      <h1>Pools</h1>
      <NoticeLine notice={notice} />
      <p class="muted">
        A pool is a queue of pictures and videos that publishes itself at the times you choose.{" "}
        <a href="/docs/pools">How pools work</a>.
      </p>
      {lines.length > 0 ? (
        <ul class="pools">
          {lines.map((line) => (
            <Pool line={line} now={now} />
          ))}
        </ul>
      ) : (
        <p class="card">There is no pool yet. Make the first one below.</p>
      )}
      {mayFill(ctx) ? (
        <NewPool state={state} zone={zone ?? "UTC"} />
      ) : (
        <p class="muted">{MAY_NOT_FILL}</p>
      )}
    </>,
  );
}

export const MAY_NOT_FILL =
  "Posts of members need approval in this team, so only the owner and admins change pools.";

export const mayFill = ({ actor }: { actor: { role: string; needsApproval: boolean } }): boolean =>
  actor.role !== "MEMBER" || !actor.needsApproval;

const Pool = ({ line: { pool, outlook, nextAt }, now }: { line: PoolLine; now: Date }) => {
  const zone = new ZoneClock(pool.timezone);
  const today = zone.dayAt(now.getTime());
  return (
    <li class="card pool">
      <div class="row head">
        <h2>
          <a href={`${POOLS}/${pool.id}`}>{pool.name}</a>
        </h2>
        <State {...(pool.isActive ? { text: "On", tone: "good" } : { text: "Off", tone: "" })} />
      </div>
      <p>
        {itemCount(pool.queued)} queued ·{" "}
        {pool.slots.length === 1 ? "1 slot" : `${pool.slots.length} slots`} · {pool.timezone}
      </p>
      <p class="muted">
        {outlookInWords(outlook, (at) => dayInWords(zone.dayAt(at), today))}
        {nextAt && (
          <>
            {" "}
            Next at <Time at={nextAt} clock={clockOf(pool.timezone)} />.
          </>
        )}
      </p>
    </li>
  );
};

const NewPool = ({ state, zone }: { state: FormState; zone: string }) => (
  <Section id="new" title="Make a pool">
    <TeamForm class="fields" action={POOLS} makes>
      <PoolFields state={state} name="" zone={zone} />
      <p>
        <Button>Make the pool</Button>
      </p>
    </TeamForm>
  </Section>
);

export const PoolFields = (props: { state: FormState; name: string; zone: string }) => (
  <>
    <InputField
      id="name"
      label="Name"
      maxlength={200}
      required
      autocomplete="off"
      value={props.state.valueOf("name", props.name)}
      refusal={props.state.errorOf("name")}
    />
    <InputField
      id="timezone"
      label="Time zone"
      hint="such as Europe/Berlin"
      maxlength={64}
      required
      autocomplete="off"
      spellcheck={false}
      value={props.state.valueOf("timezone", props.zone)}
      refusal={props.state.errorOf("timezone")}
    />
  </>
);
