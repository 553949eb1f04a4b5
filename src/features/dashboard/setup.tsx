import { type Context, Hono } from "hono";
import { publicOrigin } from "../../http/env.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { Fact } from "../../pages/fact.tsx";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { type AppChecks, describeProblem } from "../setup/rules.ts";
import type { InstanceSetup } from "../setup/service.ts";
import { NoticeLine, renderOwnPage, State } from "./parts.tsx";
import { attempt, type Shown } from "./refusals.ts";
import { STEP_STYLES, StepCard } from "./setup-parts.tsx";

export const setupPage = new Hono<PageEnv>();

const PATH = "/app/setup";

const originOf = (c: Context<PageEnv>): string => publicOrigin(c.var.deps, c.req.url);

setupPage.get(PATH, signedIn("read:pages"), async (c) => {
  const { listSetup } = await import("../setup/service.ts");
  const platforms = await listSetup(c.var.ctx, originOf(c));
  return renderOwnPage(
    c,
    { title: "Setup", here: "/app/accounts", styles: STEP_STYLES },
    <>
      <p>
        <a href="/app/accounts">All accounts</a>
      </p>
      <h1>Setup of this instance</h1>
      <p class="muted">
        Before people can connect accounts of a platform, it needs an app of yours there, and the
        app's keys here: as secrets of the deployed Worker, or in <code>.dev.vars</code> of a local
        one. The steps of each platform are on a page of their own. Only you, the owner of this
        instance, see these pages. They show no value of a key.
      </p>
      {platforms.map((setup) => (
        <PlatformCard setup={setup} />
      ))}
    </>,
  );
});

setupPage.get(`${PATH}/:platform`, signedIn("read:pages"), (c) =>
  showPlatform(c, { notice: null, status: 200 }),
);

// No redirect is needed, because the check may be repeated.
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

/** @throws AppError FORBIDDEN for everyone except the instance's owner; NOT_FOUND */
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
          text: answers.map(({ message }) => message).join(" "),
          isRefusal: answers.some(({ verdict }) => verdict === "wrong"),
        }
      : notice;
  return renderOwnPage(
    c,
    { title: `Setup of ${name}`, here: "/app/accounts", styles: STEP_STYLES, status },
    <>
      <p>
        <a href={PATH}>All platforms</a>
      </p>
      <h1>Setup of {name}</h1>
      <NoticeLine notice={shown} />
      <p class="muted">
        The steps in their order, and what works before and after each. The{" "}
        <a href={`/docs/platforms/${platform}`}>guide</a> says what a post may hold.
      </p>
      <Problems setup={setup} />
      <Summary setup={setup} />
      <ol class="steps">
        {steps.map((judged) => (
          <StepCard judged={judged} platform={platform} name={name} origin={origin} />
        ))}
      </ol>
    </>,
  );
}

const stateOf = (setup: InstanceSetup): { text: string; tone: string } => {
  const { app, isSetUp, missing, variables, steps } = setup;
  if (steps.some(({ state }) => state === "mend")) return { text: "To be mended", tone: "bad" };
  if (app === null) return { text: "Needs no app", tone: "good" };
  if (isSetUp) return { text: "Keys are set", tone: "good" };
  return missing.length < variables.length
    ? { text: "Half set up", tone: "bad" }
    : { text: "Not set up", tone: "" };
};

/** Steps that everybody needs. */
function progressOf({ steps }: InstanceSetup): string {
  const needed = steps.filter(({ step }) => step.neededFor === "everybody");
  const done = needed.filter(({ state }) => state === "done" || state === "confirmed");
  return `${done.length} of ${needed.length} steps done`;
}

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

const Problems = ({ setup: { platform, steps } }: { setup: InstanceSetup }) => {
  const problems = steps.flatMap((one) => one.problems);
  if (problems.length === 0) return null;
  return (
    <ul class="problems">
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
