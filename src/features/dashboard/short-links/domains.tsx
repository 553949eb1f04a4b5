import { type Context, Hono } from "hono";
import { publicOrigin } from "../../../http/env.ts";
import { readNumericId } from "../../../http/ids.ts";
import { readForm, textField } from "../../../http/pages.tsx";
import { Fact } from "../../../pages/fact.tsx";
import { FORM_TEAM, TeamForm } from "../../../pages/team-form.tsx";
import { type Clock, clockOf, Time } from "../../../pages/times.tsx";
import { type PageEnv, signedIn } from "../../auth/signed-in.ts";
import { type DomainWithRecords, domainsWithRecords, teamPlan } from "../../domains/repo.ts";
import { MAX_DOMAINS, planHasDomains } from "../../domains/rules.ts";
import { addDomain, deleteDomain, verifyDomain } from "../../domains/service.ts";
import { zoneOfTeam } from "../../settings/repo.ts";
import { Button, InputField, SubmitLine } from "../form-parts.tsx";
import { attemptForm, type FieldRefusals, NO_REFUSALS } from "../marked-fields.ts";
import { doneNotice, NoticeLine, renderOwnPage, Section, State } from "../parts.tsx";
import { attempt, readFields, type Shown } from "../refusals.ts";
import { LINK_STYLES } from "./styles.ts";

export const domainsPage = new Hono<PageEnv>();

const LIST = "/app/short-links";
const PATH = `${LIST}/domains`;

const DONE_MESSAGES: Record<string, string> = {
  added: "The domain is added. Set its two records now, then check them here.",
  verified: "The domain is verified. Links can use it.",
  removed: "The domain is removed, and its links with it.",
};

domainsPage.get(PATH, signedIn("read:pages"), (c) =>
  showDomains(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

domainsPage.post(PATH, signedIn("write"), async (c) => {
  const sent = textField(await readForm(c), "domain");
  const { newDomainSchema } = await import("../../domains/schema.ts");
  const origin = publicOrigin(c.var.deps, c.req.url);
  const teamId = Number(c.req.query(FORM_TEAM));
  const refused = await attemptForm(async () =>
    addDomain(c.var.ctx, readFields(newDomainSchema, { domain: sent, teamId }), origin),
  );
  return refused ? showDomains(c, { ...refused, sent }) : c.redirect(`${PATH}?done=added`, 303);
});

domainsPage.post(`${PATH}/:id/check`, signedIn("write"), async (c) => {
  const id = idOf(c);
  const refused = await attempt(() => verifyDomain(c.var.ctx, id));
  return refused
    ? showDomains(c, { notice: null, status: refused.status, checked: { id, ...refused.notice } })
    : c.redirect(`${PATH}?done=verified`, 303);
});

domainsPage.post(`${PATH}/:id/remove`, signedIn("destructive"), async (c) => {
  await deleteDomain(c.var.ctx, idOf(c));
  return c.redirect(`${PATH}?done=removed`, 303);
});

const idOf = (c: Context<PageEnv>): number => readNumericId(c.req.param("id") ?? "", "Domain");

interface Sent {
  sent?: string;
  fields?: FieldRefusals;
  checked?: { id: number; text?: string };
}

async function showDomains(
  c: Context<PageEnv>,
  { notice, status, sent = "", fields = NO_REFUSALS, checked }: Shown & Sent,
): Promise<Response> {
  const { ctx } = c.var;
  const [[zone = null], domains, [plan]] = await ctx.read("links:read", [
    zoneOfTeam({ team: ctx.team }),
    domainsWithRecords(ctx.team),
    teamPlan(ctx.team),
  ]);
  const clock = clockOf(zone);
  const canAdd = planHasDomains(ctx.config, plan);
  return renderOwnPage(
    c,
    { title: "Domains", here: LIST, status, styles: LINK_STYLES },
    <>
      <p>
        <a href={LIST}>All links</a>
      </p>
      <h1>Domains</h1>
      <NoticeLine notice={notice} />
      {domains.map((domain) => (
        <DomainCard
          domain={domain}
          clock={clock}
          missing={checked?.id === domain.id ? (checked.text ?? null) : null}
        />
      ))}
      <Section id="new" title="Add a domain">
        {canAdd ? (
          <TeamForm class="fields" action={PATH}>
            <p class="muted">
              Short links can stand on a domain of your own, such as go.example.com. Take one that
              you use for nothing else. A team has at most {MAX_DOMAINS}.
            </p>
            <InputField
              id="domain"
              label="Domain"
              maxlength={254}
              required
              placeholder="go.example.com"
              autocomplete="off"
              autocapitalize="none"
              value={sent}
              refusal={fields.get("domain") ?? null}
            />
            <SubmitLine>Add the domain</SubmitLine>
          </TeamForm>
        ) : (
          <p>
            Your team's plan has no domains of its own. Links stand on this service's own address;
            ask its owner for access.
          </p>
        )}
      </Section>
    </>,
  );
}

interface CardProps {
  domain: DomainWithRecords;
  clock: Clock;
  missing: string | null;
}

const DomainCard = ({ domain, clock, missing }: CardProps) => {
  const { id, host, verifiedAt, misses, links } = domain;
  const isLosing = verifiedAt !== null && misses > 0;
  return (
    <section class="card" aria-labelledby={`domain-${id}`}>
      <div class="row head">
        <h2 id={`domain-${id}`} class="away">
          {host}
        </h2>
        {verifiedAt === null ? (
          <State text="Waits for its records" tone="wait" />
        ) : isLosing ? (
          <State text="Its record is missing" tone="bad" />
        ) : (
          <State text="Verified" tone="good" />
        )}
      </div>
      <p class="muted">
        {links === 1 ? "1 link" : `${links.toLocaleString("en")} links`} · added{" "}
        <Time at={domain.createdAt} clock={clock} />
      </p>
      {missing !== null && (
        <p class="notice bad away" role="alert">
          {missing}
        </p>
      )}
      {verifiedAt === null && missing === null && (
        <p>
          Still missing: the two records below, where the DNS of your domain is. New ones can take
          an hour to be seen. We look for them by ourselves for seven days.
        </p>
      )}
      {isLosing && (
        <p class="notice bad">
          The TXT record was not found at the last {misses === 1 ? "check" : `${misses} checks`}.
          Set it again: after three days without it the links on this domain stop.
        </p>
      )}
      <details open={verifiedAt === null || isLosing}>
        <summary>
          Records<span class="hidden"> of {host}</span>
        </summary>
        <div class="records">
          <DnsRecord type="TXT" name={domain.txtName} value={domain.txtValue} />
          <DnsRecord type="CNAME" name={host} value={domain.cnameTarget} />
          <p class="muted">Keep the TXT record: it proves every day that the domain is yours.</p>
        </div>
      </details>
      <div class="row actions">
        {verifiedAt === null && (
          <TeamForm action={`${PATH}/${id}/check`}>
            <Button>
              Check again<span class="hidden"> {host}</span>
            </Button>
          </TeamForm>
        )}
        <details>
          <summary>
            Remove<span class="hidden"> {host}</span>
          </summary>
          <TeamForm action={`${PATH}/${id}/remove`}>
            <p>
              {links === 0
                ? "No link is on it."
                : `The ${links === 1 ? "link" : `${links} links`} on it will be deleted, and lead nowhere.`}
            </p>
            <Button tone="danger">
              Remove the domain<span class="hidden"> {host}</span>
            </Button>
          </TeamForm>
        </details>
      </div>
    </section>
  );
};

const DnsRecord = ({ type, name, value }: { type: string; name: string; value: string }) => (
  <dl>
    <Fact name="Type">{type}</Fact>
    <Fact name="Name">
      <pre>{name}</pre>
    </Fact>
    <Fact name="Value">
      <pre>{value}</pre>
    </Fact>
  </dl>
);
