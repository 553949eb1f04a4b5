import type { Platform } from "../../core/platforms.ts";
import { Fact } from "../../pages/fact.tsx";
import { connectorOf } from "../../platforms/registry.ts";
import type { Scene, SetupStep, Submission } from "../../platforms/setup-steps.ts";
import { isLocal, type JudgedStep, type StepState } from "../setup/rules.ts";
import { NEEDED_FOR, namedAudited, reasonsOf } from "../setup/words.ts";
import { State } from "./parts.tsx";

export const STEP_STYLES = `
.head { display: flex; flex-wrap: wrap; gap: .3rem 1rem; align-items: center; justify-content: space-between; }
.address { user-select: all; overflow-wrap: anywhere; white-space: pre-wrap; margin: .2rem 0 0; }
dd a, dd code, .steps > li, .problems { overflow-wrap: anywhere; }
.steps { list-style: none; margin: 0; padding: 0; }
.steps > li { scroll-margin-top: 1rem; }
.problems { margin: 0; padding-left: 1.2rem; }
.paste { white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; font: inherit; margin: 0; }
details ol, details ul { padding-left: 1.4rem; }
details li + li { margin-top: .4rem; }
`;

const STATES: Record<StepState, { text: string; tone: string }> = {
  confirmed: { text: "Confirmed by the platform", tone: "good" },
  done: { text: "Done", tone: "good" },
  open: { text: "Not done yet", tone: "" },
  mend: { text: "To be mended", tone: "bad" },
};

const SET_LOCALLY = (
  <>
    Write them into <code>.dev.vars</code>, then start <code>npm start</code> again.
  </>
);

const SET_AS_SECRETS = (
  <>
    Set each with <code>npx wrangler secret put NAME</code>.
  </>
);

interface StepProps {
  judged: JudgedStep;
  platform: Platform;
  name: string;
  origin: string;
}

export const StepCard = ({ judged, platform, name, origin }: StepProps) => {
  const { number, step, state, problems, pastes } = judged;
  const { id, title, todo, page, before, after, takes, neededFor, scopes, variables } = step;
  return (
    <li class="card" id={id}>
      <div class="head">
        <h2>
          {number}. {title}
        </h2>
        <State {...STATES[state]} />
      </div>
      {problems.map(({ message }) => (
        <p class="why">
          <strong>{message}</strong>
        </p>
      ))}
      <p>{todo}</p>
      <dl>
        <Fact name="Where">
          <a href={page} rel="noreferrer">
            {page.replace(/^https:\/\//, "")}
          </a>
        </Fact>
        <Fact name="For">{NEEDED_FOR[neededFor]}</Fact>
        <Fact name="Before">{before}</Fact>
        <Fact name="After">{after}</Fact>
        {takes !== undefined && <Fact name="Takes">{takes}</Fact>}
        {step.endsLimits && <Fact name="Then">{namedAudited(platform)}</Fact>}
        {pastes.map(({ field, url }) => (
          <Fact name={field}>
            <code class="address">{url}</code>
          </Fact>
        ))}
        {scopes && (
          <Fact name="Scopes">
            <code>{scopes.join(" ")}</code>
          </Fact>
        )}
        {variables && (
          <Fact name="Variables here">
            <code>{variables.join(" ")}</code>
            <div>{isLocal(origin) ? SET_LOCALLY : SET_AS_SECRETS}</div>
          </Fact>
        )}
      </dl>
      {step.submission && (
        <SubmissionDetails
          step={step}
          submission={step.submission}
          platform={platform}
          name={name}
          origin={origin}
        />
      )}
      <TickForm judged={judged} platform={platform} />
    </li>
  );
};

/** A step that variables or the platform show as done needs no tick. */
const TickForm = ({
  judged: { step, state, tick },
  platform,
}: Pick<StepProps, "judged" | "platform">) => {
  if (tick === null && state !== "open") return null;
  const words = tick ? "Mark as open" : "Mark as done";
  return (
    <form method="post" action={`/app/setup/${platform}/steps`}>
      <input type="hidden" name="step" value={step.id} />
      <button
        class="quiet"
        type="submit"
        name="done"
        value={tick ? "no" : "yes"}
        aria-label={`${words}: ${step.title}`}
      >
        {words}
      </button>
    </form>
  );
};

interface SubmissionProps extends Omit<StepProps, "judged"> {
  step: SetupStep;
  submission: Submission;
}

const SubmissionDetails = ({ submission, platform, name, origin }: SubmissionProps) => {
  const { purpose, asks, recording } = submission;
  return (
    <details>
      <summary>What to send{recording.length > 0 && ", and what to record"}</summary>
      <h3>What the app does</h3>
      <pre class="paste">{purpose}</pre>
      <h3>Why it asks for each scope</h3>
      <dl>
        {reasonsOf(connectorOf(platform), submission).map(({ scope, reason, isExtra }) => (
          <Fact
            name={
              <>
                <code>{scope}</code>
                {isExtra && " (only by APP_SCOPES)"}
              </>
            }
          >
            {reason}
          </Fact>
        ))}
      </dl>
      <h3>What {name} asks for</h3>
      <ul>
        {asks.map((one) => (
          <li>{one}</li>
        ))}
      </ul>
      {submission.needsAccess && (
        <p>
          Its reviewers sign in here:{" "}
          <a href="/docs/connect#let-reviewers-in">how to let them in, and how to end it</a>.
        </p>
      )}
      {recording.length > 0 && (
        <>
          <h3>The recording</h3>
          <ol>
            {recording.map((scene) => (
              <SceneItem scene={scene} name={name} origin={origin} />
            ))}
          </ol>
        </>
      )}
    </details>
  );
};

const SceneItem = ({ scene: { page, show }, name, origin }: SceneProps) => (
  <li>
    {page === null ? name : <a href={page}>{origin + page}</a>}: {show}
  </li>
);

interface SceneProps {
  scene: Scene;
  name: string;
  origin: string;
}
