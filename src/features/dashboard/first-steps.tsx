import { Section } from "./parts.tsx";
import type { Beginnings } from "./repo.ts";

export const areAllDone = ({ hasAccount, hasPost, hasPublished }: Beginnings): boolean =>
  hasAccount && hasPost && hasPublished;

interface Step {
  isDone: boolean;
  address: string;
  name: string;
  help: string;
}

function stepsOf(
  { hasAccount, hasPost, hasPublished, isSimulated }: Beginnings,
  hasSandbox: boolean,
): Step[] {
  return [
    {
      isDone: hasAccount,
      address: "/app/accounts",
      name: "Connect an account",
      help: hasSandbox
        ? "A sandbox account needs no login: everything works, and nothing leaves this instance."
        : "The platform asks you to agree; nothing is posted.",
    },
    {
      isDone: hasPost,
      address: "/app/compose",
      name: "Compose a post",
      help: "For one account or many, now or at a time.",
    },
    {
      isDone: hasPublished,
      address: isSimulated && hasSandbox ? "/sandbox" : "/app/uploads",
      name: isSimulated && hasSandbox ? "See it in the sandbox" : "See it published",
      help: "It says what the platform received, and where the post is.",
    },
  ];
}

export const FirstSteps = ({ steps, hasSandbox }: { steps: Beginnings; hasSandbox: boolean }) => (
  <Section id="begin" title="The first post">
    <ol class="list">
      {stepsOf(steps, hasSandbox).map(({ isDone, address, name, help }, i) => (
        <li>
          <div class="grow">
            <a href={address}>
              {i + 1}. {name}
            </a>
            <p class="muted">{help}</p>
          </div>
          <span class={isDone ? "state good" : "state"}>{isDone ? "Done" : "To do"}</span>
        </li>
      ))}
    </ol>
  </Section>
);
