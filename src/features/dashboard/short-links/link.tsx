import { type Context, Hono } from "hono";
import { notFound } from "../../../core/errors.ts";
import { publicOrigin } from "../../../http/env.ts";
import { readNumericId } from "../../../http/ids.ts";
import { readForm, textField } from "../../../http/pages.tsx";
import { islandPath } from "../../../pages/app-layout.tsx";
import { TeamForm } from "../../../pages/team-form.tsx";
import { clockOf, Time } from "../../../pages/times.tsx";
import { type PageEnv, signedIn } from "../../auth/signed-in.ts";
import {
  changeLink,
  deleteLink,
  linkPageQueries,
  loadSchemas,
  shortUrlOf,
  tryVisitor,
} from "../../links/own.ts";
import { zoneAndColorOfTeam } from "../../settings/repo.ts";
import { Button } from "../form-parts.tsx";
import { attemptForm, type FieldRefusals, NO_REFUSALS } from "../marked-fields.ts";
import { doneNotice, NoticeLine, renderOwnPage, Section, State } from "../parts.tsx";
import { attempt, isOutdated, readFields, type Shown } from "../refusals.ts";
import { readSeen } from "../seen-version.tsx";
import { Clicks } from "./clicks.tsx";
import { Code, inkIn } from "./code.tsx";
import { fieldsOfLink, type LinkFields, LinkForm, readLinkForm, toInput } from "./link-form.tsx";
import { ownHostOf, SwitchForm, stateOf } from "./list.tsx";
import {
  changeRows,
  MAX_SHOWN_RULES,
  type RuleRow,
  readRows,
  requireRows,
  toRow,
  toRules,
  zoneNamed,
} from "./rule-rows.ts";
import { RulesForm } from "./rules-form.tsx";
import { LINK_STYLES } from "./styles.ts";
import { readTrial, TrialAnswer, TryForm } from "./trial.tsx";

export const shortLinkPage = new Hono<PageEnv>();

const LIST = "/app/short-links";
const PATH = `${LIST}/:id`;

const DONE_MESSAGES: Record<string, string> = {
  created: "The link is made, and works at once.",
  changed: "The changes are saved. The next visit sees them.",
  rules: "The rules are saved. The next visit sees them.",
  on: "The link is on.",
  off: "The link is off. Its address leads nowhere until you switch it on.",
};

const PERIODS = [30, 90] as const;

const idOf = (c: Context<PageEnv>): number => readNumericId(c.req.param("id") ?? "", "Short link");

shortLinkPage.get(PATH, signedIn("read:pages"), (c) =>
  showLink(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

async function change(
  c: Context<PageEnv>,
  input: object,
  seenAt: Date | null = null,
): Promise<void> {
  const { linkChangeSchema } = await loadSchemas();
  const origin = publicOrigin(c.var.deps, c.req.url);
  await changeLink(c.var.ctx, idOf(c), readFields(linkChangeSchema, input), { origin, seenAt });
}

shortLinkPage.post(PATH, signedIn("write"), async (c) => {
  const form = await readForm(c);
  const [sent, seenAt] = [readLinkForm(form), readSeen(form)];
  const refused = await attemptForm(() => change(c, toInput(sent), seenAt));
  return refused
    ? showLink(c, { ...refused, sent, seenAt: isOutdated(refused) ? null : seenAt })
    : c.redirect(`${LIST}/${idOf(c)}?done=changed`, 303);
});

shortLinkPage.post(`${PATH}/rules`, signedIn("write"), async (c) => {
  const form = await readForm(c);
  const action = textField(form, "do") || "save";
  const rows = readRows(form);
  const seenAt = readSeen(form);
  if (action !== "save") {
    return showLink(c, { notice: null, status: 200, rows: changeRows(rows, action), seenAt });
  }
  const list = [...rows.values()];
  const zone = zoneNamed(textField(form, "zone"));
  const refused = await attemptForm(async () => {
    requireRows(form, rows);
    await change(c, { rules: toRules(list, zone) }, seenAt);
  });
  return refused
    ? showLink(c, { ...refused, rows: list, seenAt: isOutdated(refused) ? null : seenAt })
    : c.redirect(`${LIST}/${idOf(c)}?done=rules#rules`, 303);
});

shortLinkPage.post(`${PATH}/switch`, signedIn("write"), async (c) => {
  const form = await readForm(c);
  const isActive = textField(form, "on") === "true";
  const refused = await attempt(() => change(c, { isActive }));
  if (refused) return showLink(c, refused);
  const done = `?done=${isActive ? "on" : "off"}`;
  const back = textField(form, "back") === "list" ? LIST : `${LIST}/${idOf(c)}`;
  return c.redirect(back + done, 303);
});

shortLinkPage.post(`${PATH}/delete`, signedIn("destructive"), async (c) => {
  await deleteLink(c.var.ctx, idOf(c));
  return c.redirect(`${LIST}?done=deleted`, 303);
});

interface Sent {
  sent?: LinkFields;
  rows?: readonly RuleRow[];
  fields?: FieldRefusals;
  /** The version that the sent form showed; null shows the stored version. */
  seenAt?: Date | null;
}

async function showLink(
  c: Context<PageEnv>,
  { notice, status, sent, rows, fields = NO_REFUSALS, seenAt = null }: Shown & Sent,
): Promise<Response> {
  const { ctx } = c.var;
  const id = idOf(c);
  const query = c.req.query();
  const count = PERIODS.find((one) => String(one) === query.days) ?? PERIODS[0];
  const [[own], [link], days, domains] = await ctx.read("links:read", [
    zoneAndColorOfTeam({ team: ctx.team }),
    ...linkPageQueries(ctx, id, count),
  ]);
  if (!link) throw notFound("Short link");
  const clock = clockOf(own?.zone ?? null);
  const zone = zoneNamed(clock.zone ?? "UTC");
  const origin = publicOrigin(c.var.deps, c.req.url);
  const address = shortUrlOf(ctx.config, origin, link);
  const path = `${LIST}/${id}`;
  const trialForm = readTrial(query, zone, ctx.now());
  const { visitor } = trialForm;
  const trial = visitor && (await tryVisitor(link, visitor, { config: ctx.config, origin }));
  const isLong = link.rules.length > MAX_SHOWN_RULES;
  return renderOwnPage(
    c,
    {
      title: link.slug,
      here: LIST,
      status,
      styles: LINK_STYLES,
      scripts: [islandPath("short-links")],
    },
    <>
      <p>
        <a href={LIST}>All links</a>
      </p>
      <h1 class="away">{link.title ?? link.slug}</h1>
      <NoticeLine notice={notice} />
      <section class="card" aria-labelledby="address">
        <h2 id="address">Address</h2>
        <pre class="address">{address}</pre>
        <p class="away">
          Leads to <a href={link.destination}>{link.destination}</a>
        </p>
        <div class="figures">
          <State {...stateOf(link.isActive)} />
          <span class="muted">
            {link.clicks === 1 ? "1 click" : `${link.clicks.toLocaleString("en")} clicks`} since{" "}
            <Time at={link.createdAt} clock={clock} />
          </span>
          <SwitchForm id={id} isActive={link.isActive} name={link.slug} back="link" />
        </div>
      </section>
      <Section id="clicks" title="Clicks">
        <nav class="row" aria-label="Period">
          {PERIODS.map((one) => (
            <a
              class="chip"
              href={`${path}?days=${one}#clicks`}
              aria-current={one === count ? "true" : undefined}
            >
              {one} days
            </a>
          ))}
        </nav>
        <Clicks
          link={link}
          days={days}
          zone={zone}
          today={zone.dayAt(ctx.now().getTime())}
          count={count}
        />
      </Section>
      <Section id="rules" title="Rules">
        <p class="muted">
          The first rule that fits a visitor says where they go. When none fits, they go where the
          link leads.
        </p>
        {isLong && !rows ? (
          <p>
            The link has {link.rules.length} rules, more than this page can show. Change them by the{" "}
            <a href="/docs/links">API</a>.
          </p>
        ) : (
          <RulesForm
            action={`${path}/rules`}
            seenAt={(rows && seenAt) ?? link.updatedAt}
            rows={rows ?? link.rules.map((rule) => toRow(rule, zone))}
            refusals={rows ? fields : NO_REFUSALS}
            zone={zone.zone}
            isChanged={rows !== undefined}
          />
        )}
      </Section>
      <Section id="try" title="Try a visitor">
        <p class="muted">
          See where somebody would go by the rules that are saved. Nothing is counted.
        </p>
        <TryForm path={path} form={trialForm} zone={zone.zone} />
        {trial && <TrialAnswer link={link} trial={trial} clock={clock} />}
      </Section>
      <Section id="code" title="QR code">
        <Code
          path={path}
          slug={link.slug}
          colour={inkIn(query.colour, own?.color)}
          size={query.size ?? ""}
        />
      </Section>
      <Section id="change" title="Change the link">
        <LinkForm
          action={path}
          seenAt={(sent && seenAt) ?? link.updatedAt}
          fields={sent ?? fieldsOfLink(link)}
          refusals={sent ? fields : NO_REFUSALS}
          domains={domains}
          ownHost={ownHostOf(c)}
        >
          Save the changes
        </LinkForm>
      </Section>
      <Section id="delete" title="Delete">
        <details>
          <summary>Delete the link…</summary>
          <TeamForm action={`${path}/delete`}>
            <p>
              {address} leads nowhere from then on, also where it is printed. Nobody but your team
              can use the short name again.
            </p>
            <Button tone="danger">Delete the link</Button>
          </TeamForm>
        </details>
      </Section>
    </>,
  );
}
