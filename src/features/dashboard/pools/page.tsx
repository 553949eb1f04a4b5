import { type Context, Hono } from "hono";
import { ZoneClock } from "../../../core/zone.ts";
import { readNumericId } from "../../../http/ids.ts";
import { readForm, textField } from "../../../http/pages.tsx";
import { islandPath } from "../../../pages/app-layout.tsx";
import { TeamForm } from "../../../pages/team-form.tsx";
import { clockOf, Time } from "../../../pages/times.tsx";
import { accountsOfTeam } from "../../accounts/repo.ts";
import { type PageEnv, signedIn } from "../../auth/signed-in.ts";
import { mediaPath } from "../../media/files.ts";
import type { PoolView } from "../../pools/pages.ts";
import { Button } from "../form-parts.tsx";
import { formCall } from "../once.ts";
import { doneNotice, NoticeLine, renderOwnPage, Section, State } from "../parts.tsx";
import { attempt, readFields, type Shown } from "../refusals.ts";
import { Coming, Past } from "./firing-parts.tsx";
import type { Line } from "./item-parts.tsx";
import { MAY_NOT_FILL, mayFill, POOLS, PoolFields } from "./list.tsx";
import { AddItem, ON_A_PAGE, Queue } from "./queue.tsx";
import { attemptForm, formState, type RefusedForm, type ShownForm, sentFields } from "./refused.ts";
import { Slots } from "./slots.tsx";
import { POOL_STYLES } from "./styles.ts";
import { dayInWords, outlookInWords, zoneInWords } from "./words.ts";

export const poolPage = new Hono<PageEnv>();

const DONE_MESSAGES: Record<string, string> = {
  made: "The pool is made. Add slots, then fill its queue.",
  saved: "The pool is saved.",
  on: "The pool is on.",
  off: "The pool is off. Nothing goes out until you switch it on.",
  slot: "The slot is saved.",
  "slot-removed": "The slot is removed.",
  added: "It is in the queue.",
  changed: "The item is saved.",
  moved: "The item is moved.",
  removed: "The item is removed from the queue.",
  cleared: "The queue is empty.",
};

const poolId = (c: Context<PageEnv>) => readNumericId(c.req.param("id") ?? "", "Pool");

const done = (c: Context<PageEnv>, id: number, name: string, place = ""): Response =>
  c.redirect(`${POOLS}/${id}?done=${name}${place}`, 303);

poolPage.get(`${POOLS}/:id`, signedIn("read:pages"), (c) =>
  showPool(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

poolPage.post(`${POOLS}/:id`, signedIn("write"), async (c) => {
  const id = poolId(c);
  const form = await readForm(c);
  const { changePool, poolChangeSchema } = await import("../../pools/pages.ts");
  const refused = await attemptForm(
    "pool",
    () => sentFields(form),
    async () => {
      const fields = { name: form.get("name"), timezone: form.get("timezone") };
      await changePool(c.var.ctx, id, readFields(poolChangeSchema, fields));
    },
  );
  return refused ? showPool(c, refused) : done(c, id, "saved");
});

poolPage.post(`${POOLS}/:id/switch`, signedIn("write"), async (c) => {
  const id = poolId(c);
  const isActive = textField(await readForm(c), "on") === "true";
  const { changePool } = await import("../../pools/pages.ts");
  const refused = await attempt(() => changePool(c.var.ctx, id, { isActive }));
  return refused ? showPool(c, refused) : done(c, id, isActive ? "on" : "off");
});

poolPage.post(`${POOLS}/:id/delete`, signedIn("destructive"), async (c) => {
  const { deletePool } = await import("../../pools/pages.ts");
  const refused = await attempt(() => deletePool(c.var.ctx, poolId(c)));
  return refused ? showPool(c, refused) : c.redirect(`${POOLS}?done=deleted`, 303);
});

const slotFields = (form: FormData) => ({
  time: textField(form, "time").slice(0, 5),
  days: form.getAll("days").map(Number),
  accountIds: form.getAll("accountIds"),
});

poolPage.post(`${POOLS}/:id/slots`, signedIn("write"), async (c) => {
  const id = poolId(c);
  const form = await readForm(c);
  const { addSlot, newSlotSchema } = await import("../../pools/pages.ts");
  let slotId = 0;
  const refused = await attemptForm(
    "slot-new",
    () => sentFields(form),
    async () => {
      const slot = readFields(newSlotSchema, slotFields(form));
      ({ id: slotId } = await addSlot(c.var.ctx, id, slot, formCall(c)));
    },
  );
  return refused ? showPool(c, refused) : done(c, id, "slot", `#slot-${slotId}`);
});

const slotIdOf = (c: Context<PageEnv>) => readNumericId(c.req.param("slotId") ?? "", "Slot");

poolPage.post(`${POOLS}/:id/slots/:slotId`, signedIn("write"), async (c) => {
  const [id, slotId] = [poolId(c), slotIdOf(c)];
  const form = await readForm(c);
  const { changeSlot, slotChangeSchema } = await import("../../pools/pages.ts");
  const refused = await attemptForm(
    `slot-${slotId}`,
    () => sentFields(form),
    async () => {
      const change = readFields(slotChangeSchema, slotFields(form));
      await changeSlot(c.var.ctx, { poolId: id, slotId }, change);
    },
  );
  return refused ? showPool(c, refused) : done(c, id, "slot", `#slot-${slotId}`);
});

poolPage.post(`${POOLS}/:id/slots/:slotId/remove`, signedIn("destructive"), async (c) => {
  const [id, slotId] = [poolId(c), slotIdOf(c)];
  const { deleteSlot } = await import("../../pools/pages.ts");
  const refused = await attempt(() => deleteSlot(c.var.ctx, { poolId: id, slotId }));
  return refused ? showPool(c, refused) : done(c, id, "slot-removed", "#slots");
});

/** 0 for what is no number. */
const skippedOf = (c: Context<PageEnv>): number => {
  const from = c.req.query("from") ?? "";
  return /^\d{1,4}$/.test(from) ? Number(from) : 0;
};

export const queuePage = (c: Context<PageEnv>): string =>
  skippedOf(c) > 0 ? `&from=${skippedOf(c)}` : "";

export async function showPool(
  c: Context<PageEnv>,
  { notice, status, ...shown }: Shown & Partial<ShownForm>,
): Promise<Response> {
  const { ctx } = c.var;
  const { poolReads, PREVIEW_DAYS, toPoolView } = await import("../../pools/pages.ts");
  const now = ctx.now();
  const skipped = skippedOf(c);
  const [accounts, ...found] = await ctx.read("pools:read", [
    accountsOfTeam(ctx.team, {}),
    ...poolReads(ctx.team, poolId(c), { now, skipped, limit: ON_A_PAGE }),
  ]);
  const view = toPoolView(found, accounts, now);
  const { pool, lines } = view;
  const refused = shown.refused ?? null;
  const mayChange = mayFill(ctx);
  const today = new ZoneClock(pool.timezone).dayAt(now.getTime());
  return renderOwnPage(
    c,
    {
      title: pool.name,
      here: POOLS,
      status,
      styles: POOL_STYLES,
      scripts: mayChange ? [islandPath("pools")] : [],
      ...(ctx.config.storage
        ? { connectSources: new URL(ctx.config.storage.endpoint).origin }
        : {}),
    },
    <>
      <p>
        <a href={POOLS}>All pools</a>
      </p>
      <h1>{pool.name}</h1>
      <NoticeLine notice={notice} />
      {!mayChange && <p class="notice">{MAY_NOT_FILL}</p>}
      <Facts view={view} today={today} now={now} mayChange={mayChange} />
      <Queue
        poolId={pool.id}
        lines={lines}
        queued={pool.queued}
        skipped={skipped}
        pictures={await picturesOf(c, lines)}
        open={c.req.query("item") ?? null}
        refused={refused}
        mayChange={mayChange}
      />
      {mayChange && <AddItem poolId={pool.id} refused={refused} />}
      <Slots
        pool={pool}
        accounts={accounts}
        open={c.req.query("slot") ?? null}
        refused={refused}
        mayChange={mayChange}
      />
      <Coming view={view} today={today} days={PREVIEW_DAYS} />
      <Past view={view} today={today} />
      {mayChange && <Settings pool={pool} refused={refused} />}
    </>,
  );
}

async function picturesOf(
  { var: { ctx } }: Context<PageEnv>,
  lines: readonly Line[],
): Promise<Map<number, string>> {
  const pictures = lines.flatMap(({ id, teamId, media }) => {
    const [first] = media;
    if (first?.role !== "photo" || !("sha256" in first)) return [];
    return [mediaPath(ctx, teamId, first.sha256, "thumbnail").then((path) => [id, path] as const)];
  });
  return new Map(await Promise.all(pictures));
}

interface FactsProps {
  view: PoolView;
  today: string;
  now: Date;
  mayChange: boolean;
}

const Facts = ({ view: { pool, outlook, nextAt }, today, now, mayChange }: FactsProps) => {
  const zone = new ZoneClock(pool.timezone);
  return (
    <section class="card" id="facts" aria-label="State">
      <div class="row head">
        <p class="facts">
          <State {...(pool.isActive ? { text: "On", tone: "good" } : { text: "Off", tone: "" })} />
          <span>{zoneInWords(pool.timezone, zone.offsetAt(now.getTime()))}</span>
        </p>
        {mayChange && (
          <TeamForm action={`${POOLS}/${pool.id}/switch`}>
            <input type="hidden" name="on" value={String(!pool.isActive)} />
            <Button tone="quiet">{pool.isActive ? "Switch off" : "Switch on"}</Button>
          </TeamForm>
        )}
      </div>
      <p>
        <strong>{outlookInWords(outlook, (at) => dayInWords(zone.dayAt(at), today))}</strong>
        {nextAt && (
          <>
            {" "}
            The next slot is on <Time at={nextAt} clock={clockOf(pool.timezone)} />.
          </>
        )}
      </p>
    </section>
  );
};

const Settings = ({ pool, refused }: { pool: PoolView["pool"]; refused: RefusedForm | null }) => (
  <Section id="settings" title="Name and time zone">
    <TeamForm class="fields" action={`${POOLS}/${pool.id}`}>
      <PoolFields state={formState("pool", refused)} name={pool.name} zone={pool.timezone} />
      <p class="muted">Slots keep their times of day in a new zone.</p>
      <p>
        <Button>Save</Button>
      </p>
    </TeamForm>
    <details class="confirm">
      <summary>Delete this pool</summary>
      <TeamForm action={`${POOLS}/${pool.id}/delete`}>
        <p>Its slots and every waiting item are removed. Posts that are on their way stay.</p>
        <Button tone="danger">Delete the pool</Button>
      </TeamForm>
    </details>
  </Section>
);
