import { type Context, Hono } from "hono";
import { publicOrigin } from "../../http/env.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { Fact } from "../../pages/fact.tsx";
import { clockOf, Time } from "../../pages/times.tsx";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { allBackups, type BackupState, judgeBackups } from "../backup/service.ts";
import { hasMailer } from "../mail/service.ts";
import { type AppChecks, describeChecks, describeProblem, isLocal } from "../setup/rules.ts";
import type { InstanceSetup } from "../setup/service.ts";
import { NoticeLine, renderOwnPage, Section, State } from "./parts.tsx";
import { attempt, type Shown } from "./refusals.ts";
import { STEP_STYLES, StepCard } from "./setup-parts.tsx";

export const setupPage = new Hono<PageEnv>();

const PATH = "/app/setup";

const originOf = (c: Context<PageEnv>): string => publicOrigin(c.var.deps, c.req.url);

setupPage.get(PATH, signedIn("read:pages"), async (c) => {
  const { listSetup } = await import("../setup/service.ts");
  const { ctx } = c.var;
  const origin = originOf(c);
  const {
    platforms,
    hasContact,
    others: [backups],
  } = await listSetup(ctx, origin, [allBackups()]);
  return renderOwnPage(
    c,
    { title: "Setup", here: null, styles: STEP_STYLES },
    <>
      <p>
        <a href="/app/accounts">All accounts</a>
      </p>
      <h1>Setup of this instance</h1>
      <p class="muted">
        Before people can connect accounts of a platform, it needs an app of yours there, and the
        app's keys here. The steps of each platform are on a page of their own. Only you, the owner
        of this instance, see these pages. They show no value of a key.
      </p>
      <Beginning origin={origin} hasContact={hasContact} sendsMail={hasMailer(ctx)} />
      <Backups state={judgeBackups(backups, ctx)} />
      {platforms.map((setup) => (
        <PlatformCard setup={setup} />
      ))}
    </>,
  );
});

// The second path is a reload after a check.
for (const path of [`${PATH}/:platform`, `${PATH}/:platform/check`]) {
  setupPage.get(path, signedIn("read:pages"), (c) =>
    showPlatform(c, { notice: null, status: 200 }),
  );
}

// Without a redirect, because the check may be repeated.
setupPage.post(`${PATH}/:platform/check`, signedIn("write", { isPersonal: true }), async (c) => {
  const { checkPlatform } = await import("../setup/service.ts");
  let checks: AppChecks = {};
  const refused = await attempt(async () => {
    checks = await checkPlatform(c.var.ctx, c.req.param("platform"), originOf(c));
  });
  return showPlatform(c, { ...(refused ?? { notice: null, status: 200 }), checks });
});

setupPage.post(`${PATH}/:platform/steps`, signedIn("write", { isPersonal: true }), async (c) => {
  const platform = c.req.param("platform");
  const form = await readForm(c);
  const step = textField(form, "step");
  const { tickStep } = await import("../setup/service.ts");
  await tickStep(c.var.ctx, { platform, step, isDone: textField(form, "done") === "yes" });
  return c.redirect(`${PATH}/${platform}#${step}`, 303);
});

/** @throws AppError FORBIDDEN unless the caller is the instance's owner; NOT_FOUND */
async function showPlatform(
  c: Context<PageEnv>,
  { notice, status, checks = {} }: Shown & { checks?: AppChecks },
): Promise<Response> {
  const { getSetup } = await import("../setup/service.ts");
  const origin = originOf(c);
  const setup = await getSetup(c.var.ctx, c.req.param("platform") ?? "", { origin, checks });
  const { platform, name, steps } = setup;
  const answers = Object.values(checks);
  const shown =
    answers.length > 0
      ? {
          text: describeChecks(checks).join(" "),
          isRefusal: answers.some(({ verdict }) => verdict === "wrong"),
        }
      : notice;
  return renderOwnPage(
    c,
    { title: `Setup of ${name}`, here: null, styles: STEP_STYLES, status },
    <>
      <p>
        <a href={PATH}>All platforms</a>
      </p>
      <h1>Setup of {name}</h1>
      <NoticeLine notice={shown} />
      <p class="muted">
        The steps in their order, and what works before and after each. {progressOf(setup)} The{" "}
        <a href={`/docs/platforms/${platform}`}>guide</a> says what a post may hold.
      </p>
      <LocalWarning origin={origin} />
      <Problems setup={setup} />
      <Summary setup={setup} />
      <ol class="steps">
        {steps.map((judged) => (
          <StepCard judged={judged} platform={platform} name={name} origin={origin} />
        ))}
      </ol>
      {setup.isSetUp && <Next platform={platform} name={name} />}
    </>,
  );
}

const stateOf = (setup: InstanceSetup): { text: string; tone: string } => {
  const { app, isSetUp, missing, variables, steps } = setup;
  const isWrong = setup.scopeRefusals.length > 0 || steps.some(({ state }) => state === "mend");
  if (isWrong) return { text: "To be mended", tone: "bad" };
  if (app === null) return { text: "Needs no app", tone: "good" };
  const { done, needed } = countSteps(setup);
  if (isSetUp && done === needed) return { text: "Set up", tone: "good" };
  if (isSetUp) return { text: "Keys are set", tone: "good" };
  return missing.length < variables.length
    ? { text: "Half set up", tone: "bad" }
    : { text: "Not set up", tone: "" };
};

/** `needed`: steps that everybody needs. `others`: the rest. */
function countSteps({ steps }: InstanceSetup) {
  const needed = steps.filter(({ step }) => step.neededFor === "everybody");
  const done = needed.filter(({ state }) => state === "done" || state === "confirmed");
  return { done: done.length, needed: needed.length, others: steps.length - needed.length };
}

function progressOf(setup: InstanceSetup): string {
  const { done, needed, others } = countSteps(setup);
  if (others === 0) return `${done} of ${needed} steps are done.`;
  const rest = others === 1 ? "One more is" : `${others} more are`;
  return `${done} of the ${needed} steps for everybody are done. ${rest} needed only in the case that "For" names.`;
}

interface BeginningProps {
  origin: string;
  /** `/privacy` and `/terms` name the operator. */
  hasContact: boolean;
  sendsMail: boolean;
}

const Beginning = ({ origin, hasContact, sendsMail }: BeginningProps) => (
  <Section id="first" title="Before the first platform">
    <LocalWarning origin={origin} />
    <dl>
      <Fact name="Set a variable">
        {isLocal(origin) ? (
          <>
            Write it into <code>.dev.vars</code>, then start <code>npm start</code> again: a running
            one does not see the change.
          </>
        ) : (
          <>
            A key: <code>npx wrangler secret put NAME</code>, which counts at once. Anything else:
            under <code>vars</code> in <code>wrangler.toml</code> or <code>wrangler.jsonc</code>,
            whichever you have, then <code>npm run deploy</code>.
          </>
        )}{" "}
        <a href="/docs/settings#set-a-variable">More about it</a>
      </Fact>
      <Fact name="Say who runs it">
        {hasContact ? "Done: " : "Reviewers look for it, and the two pages do not say it yet. "}
        Brand name and link of your team's <a href="/app/settings">settings</a> stand as the contact
        on <a href="/privacy">/privacy</a> and <a href="/terms">/terms</a>.
      </Fact>
      <Fact name="Send mail">
        {sendsMail
          ? "Done: people and reviewers get their sign-in links by mail."
          : "This instance sends no mail, so nobody can ask for a sign-in link. It needs the EMAIL binding and EMAIL_FROM."}{" "}
        <a href="/docs/teams#sign-in">More about it</a>
      </Fact>
      <Fact name="Let reviewers in">
        Some reviews sign in here. There are no passwords, so they need an invited address and its
        mailbox: <a href="/docs/connect#let-reviewers-in">how, and how to end it</a>.
      </Fact>
    </dl>
  </Section>
);

const MEGABYTE = 1_000_000;

const Backups = ({ state }: { state: BackupState }) => (
  <Section id="backups" title="Backups">
    {state.isOverdue && (
      <p class="why">No backup was finished in the last three days. Your posts are at risk.</p>
    )}
    <dl>
      <Fact name="Last backup">
        {state.last?.finishedAt ? (
          <>
            <Time at={state.last.finishedAt} clock={clockOf(null)} />, {state.last.rows} rows,{" "}
            {(state.last.bytes / MEGABYTE).toFixed(1)} MB. {state.count} are kept.
          </>
        ) : state.isOn ? (
          "None yet. The first is made in the coming night."
        ) : (
          "None: BACKUP is off."
        )}{" "}
        <a href="/docs/operate#back-up">More about it</a>
      </Fact>
      {state.error && <Fact name="Why it does not go on">{state.error}</Fact>}
    </dl>
  </Section>
);

const LocalWarning = ({ origin }: { origin: string }) =>
  isLocal(origin) ? (
    <p class="why">
      This instance is at {origin}, which only this computer reaches. Do not paste its addresses
      into forms that ask for a public address or a domain:{" "}
      <a href="/docs/operate#deploy">deploy</a> first, and open this page there.
    </p>
  ) : null;

const Next = ({ platform, name }: { platform: string; name: string }) => (
  <Section id="next" title="What comes next">
    <ol>
      <li>
        <a href="/app/accounts">Connect an account of {name}</a>.
      </li>
      <li>
        Publish a post that as few people as possible see, and that is deleted again where the
        platform allows it, in the project's folder: <code>npm run cli -- rehearse {platform}</code>
        . <a href="/docs/connect#rehearse">What it does</a>
      </li>
    </ol>
  </Section>
);

const PlatformCard = ({ setup }: { setup: InstanceSetup }) => {
  const { platform, name, app } = setup;
  return (
    <section class="card" aria-labelledby={platform}>
      <div class="head">
        <h2 id={platform}>
          <a href={`${PATH}/${platform}`}>{name}</a>
        </h2>
        <State {...stateOf(setup)} />
      </div>
      <p>
        {app ?? `Accounts of ${name} are connected without an app: nothing is registered there.`}
      </p>
      <p class="muted">{progressOf(setup)}</p>
      <Problems setup={setup} />
    </section>
  );
};

const Problems = ({ setup: { platform, steps, scopeRefusals } }: { setup: InstanceSetup }) => {
  const problems = steps.flatMap((one) => one.problems);
  if (problems.length + scopeRefusals.length === 0) return null;
  return (
    <ul class="problems">
      {scopeRefusals.map((refusal) => (
        <li class="why">{refusal}</li>
      ))}
      {problems.map((problem) => (
        <li class="why">
          <a href={`${PATH}/${platform}#${problem.step}`}>{describeProblem(problem, steps)}</a>
        </li>
      ))}
    </ul>
  );
};

const Summary = ({ setup }: { setup: InstanceSetup }) => {
  const { platform, name, app, document } = setup;
  return (
    <section class="card" aria-labelledby="summary">
      <div class="head">
        <h2 id="summary">What {name} needs</h2>
        <State {...stateOf(setup)} />
      </div>
      <p>
        {app ?? `Accounts of ${name} are connected without an app: nothing is registered there.`}
      </p>
      <dl>
        <Variables setup={setup} />
        {document !== null && (
          <Fact name="Read by its servers">
            <code class="address">{document}</code>
          </Fact>
        )}
        <Scopes setup={setup} />
        <Pages setup={setup} />
      </dl>
      {setup.isCheckable && (
        <form method="post" action={`${PATH}/${platform}/check`}>
          <button class="quiet" type="submit">
            Check<span class="hidden"> the app at {name}</span>
          </button>
        </form>
      )}
    </section>
  );
};

const Variables = ({ setup: { variables, key, missing } }: { setup: InstanceSetup }) => {
  const names = key ? [...variables, key.variable] : variables;
  if (names.length === 0) return null;
  return (
    <Fact name="Variables">
      {names.map((name) => (
        <div>
          <code>{name}</code> {missing.includes(name) ? "is missing" : "is set"}.
          {name === key?.variable && missing.includes(name) && ` ${key.without}`}
        </div>
      ))}
    </Fact>
  );
};

const Pages = ({ setup: { pages, missingOfPages } }: { setup: InstanceSetup }) => {
  if (!pages) return null;
  return (
    <>
      <Fact name="Variables of the app for pages">
        {pages.variables.map((name) => (
          <div>
            <code>{name}</code> is {missingOfPages.includes(name) ? "not set" : "set"}.
          </div>
        ))}
        {missingOfPages.length > 0 && "Only pages of organizations need it."}
      </Fact>
      <Fact name="Its permissions">
        <code>{pages.required.join(" ")}</code>
      </Fact>
      <Fact name="Its optional permissions">
        <code>{pages.optional.join(" ")}</code>
      </Fact>
      {pages.extra.length > 0 && (
        <Fact name="Asked for only by its APP_SCOPES">
          <code>{pages.extra.join(" ")}</code>
        </Fact>
      )}
    </>
  );
};

const Scopes = ({ setup: { required, optional, extra, appScopes } }: { setup: InstanceSetup }) => (
  <>
    <Fact name="Required permissions">
      <code>{required.join(" ")}</code>
    </Fact>
    {optional.length > 0 && (
      <Fact name="Optional permissions">
        <code>{optional.join(" ")}</code>
      </Fact>
    )}
    {extra.length > 0 && (
      <Fact name="Asked for only by APP_SCOPES">
        <code>{extra.join(" ")}</code>
      </Fact>
    )}
    {appScopes !== null && (
      <Fact name="Asked for here">
        <code>{appScopes.join(" ")}</code>, by <code>APP_SCOPES</code>
      </Fact>
    )}
  </>
);
