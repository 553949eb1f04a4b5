import type { SetupStep } from "../setup-steps.ts";

const STEPS: readonly SetupStep[] = [
  {
    id: "app",
    kind: "app",
    title: "Create the app",
    todo: "Register the redirect URL.",
    page: "https://mastotoy.test/apps",
    before: "Nothing.",
    after: "Everything works.",
    neededFor: "everybody",
    pastes: { redirect: "Redirect URL" },
    variables: ["MASTOTOY_CLIENT_ID", "MASTOTOY_CLIENT_SECRET"],
  },
];

export const setupSteps = () => STEPS;
