import type { Connector } from "../connector.ts";
import { choice, field, formFields, type SettingsOf } from "../kit/form-fields.ts";
import { lazily } from "../kit/lazily.ts";

const VISIBILITIES = ["public", "followers"] as const;

const settings = formFields({
  mastotoy_visibility: field(choice(VISIBILITIES), {
    type: "string",
    mustBeChosen: true,
    values: VISIBILITIES,
    description: "Who sees the post. Default: public.",
  }),
});

export type ToySettings = SettingsOf<typeof settings>;

export const capabilities = {
  limits: {
    postCharacters: 500,
    photoPostCharacters: 500,
    titleCharacters: null,
    altTextCharacters: null,
    linkCharacters: null,
    tagsCharacters: null,
  },
  textField: "description" as const,
  dailyPostCap: 30,
  bannedHashtags: [],
  mediaSupport: {
    kinds: ["image" as const],
    maxCount: 4,
    textOnly: true,
    imageTypes: ["image/jpeg", "image/png"],
    imageMaxBytes: 8_000_000,
  },
};

/** A platform that exists in a test alone. */
export const mastotoy: Connector<ToySettings> = {
  platform: "mastotoy",
  name: "Mastotoy",
  apiVersion: { version: "v1", header: null, sunset: null, source: "https://mastotoy.test/docs" },
  capabilities,
  needs: { app: "An app at mastotoy.test.", scopes: ["write"] },
  mentions: { syntax: "@name", note: "Write @name." },
  timing: { callSeconds: 20, acceptSeconds: 30, listSeconds: 5 },
  settings,
  batchFlags: {
    mastotoy_to_followers: {
      settings: { mastotoy_visibility: "followers" },
      description: "Shows the Mastotoy posts of the batch to followers alone.",
    },
  },
  ...lazily(() => import("./setup-steps.ts"), "setupSteps"),
  removal: { byHand: "Delete the post at Mastotoy." },
  correction: { byHand: "Edit the post at Mastotoy.", fields: [] },
  rehearsal: {
    ...lazily(() => import("./publish.ts"), "plan", "readBack"),
  },
  logins: [
    {
      title: "By a password",
      fields: [
        { name: "identifier", label: "Name", maxLength: 100 },
        { name: "appPassword", label: "Password", maxLength: 100, isSecret: true },
      ],
      ...lazily(() => import("./publish.ts"), "connect"),
    },
  ],
  ...lazily(() => import("./likeness.ts"), "likeness", "describeSettings"),
  ...lazily(
    () => import("./publish.ts"),
    ...(["check", "prepare", "submit", "reconcile", "identify", "refresh"] as const),
    "revoke",
  ),
};
