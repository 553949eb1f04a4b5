import { Hono } from "hono";
import { countVisitor } from "../../http/caller.ts";
import type { AppEnv } from "../../http/env.ts";
import { renderPlainPage } from "../../pages/app-layout.tsx";
import { connectors } from "../../platforms/registry.ts";
import { brandingOfOperator } from "../settings/repo.ts";
import { Section } from "./parts.tsx";
import { Contact, PlatformPrivacy } from "./terms-parts.tsx";

/** Platforms require this page of app owners. */
export const privacyPage = new Hono<AppEnv>();

const SHORTER_KEPT = connectors().flatMap(({ name, metrics }) =>
  metrics?.keepDays ? [`of ${name} ${metrics.keepDays} days`] : [],
);

const KEPT: [what: string, howLong: (mediaHours: number) => string][] = [
  ["Name and e-mail address of people who sign in", () => "Until they leave"],
  ["E-mail addresses invited or given for an invite", () => "30 days after the invite expires"],
  ["Sessions, with address and browser", () => "Until they end or are revoked"],
  ["Browsers and chats that get notices, encrypted", () => "Until removed"],
  ["Connected accounts: name, picture, and their logins, encrypted", () => "Until disconnected"],
  ["Posts: texts, settings and what became of them", () => "Until the team is deleted"],
  [
    "Figures of posts of connected accounts, and numbers of followers",
    () => ["Until disconnected; single days 25 months", ...SHORTER_KEPT].join(", "),
  ],
  ["Files of published posts", (hours) => `${hours} hours, then a small picture at most`],
  ["Files of posts that failed", () => "24 hours"],
  ["Files that a team keeps", () => "Until the team removes them or stops keeping them"],
  ["Events about posts and accounts", () => "30 days"],
  ["Who changed what in a team, by e-mail address", () => "13 months"],
];

privacyPage.get("/privacy", async (c) => {
  const { deps } = c.var;
  const [[[branding]]] = await Promise.all([
    deps.db.run([brandingOfOperator()]),
    countVisitor(c, "read:pages"),
  ]);
  const { mediaRetentionHours } = deps.config;
  return renderPlainPage(
    c,
    { title: "Privacy" },
    <>
      <h1>Privacy</h1>
      <p>
        This service publishes posts to the social accounts that people connect to it, and does
        nothing else with what it keeps. It sets cookies for signing in alone, and loads nothing
        from elsewhere.
      </p>
      <Section id="kept" title="Kept, and for how long">
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Data</th>
                <th scope="col">How long</th>
              </tr>
            </thead>
            <tbody>
              {KEPT.map(([what, howLong]) => (
                <tr>
                  <td>{what}</td>
                  <td>{howLong(mediaRetentionHours)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Section>
      <Section id="shared" title="Given to others">
        <p>
          A post and its files go to the platforms of the accounts that it is for. Notices about it,
          with its first words, go to the mail, browsers and chats of the people who get notices.
          Nothing is sold, and nobody else gets anything.
        </p>
      </Section>
      <PlatformPrivacy />
      <Section id="rights" title="Download your data, or have it removed">
        <p>
          The owner of a team downloads all of it in the settings, and deletes it there: it is gone
          for everybody at once, and removed within hours. Disconnecting an account removes its
          login and its figures at once. Members of somebody else's team ask its owner.
        </p>
      </Section>
      <Section id="contact" title="Contact">
        <Contact name={branding?.name ?? null} link={branding?.link ?? null} />
      </Section>
    </>,
  );
});
