import { Hono } from "hono";
import { readGuideText } from "../../../http/guides.ts";
import { type PageEnv, signedIn } from "../../auth/signed-in.ts";
import { renderOwnPage, Section } from "../parts.tsx";
import { STYLES } from "./parts.tsx";

export const webhookSignaturePage = new Hono<PageEnv>();

const LANGUAGES: Record<string, string> = {
  ts: "TypeScript",
  python: "Python",
  go: "Go",
  php: "PHP",
  ruby: "Ruby",
  java: "Java",
};

/** The guide's code that checks a signature, by language. */
export function snippetsOf(guide: string): [language: string, code: string][] {
  const section = guide.split("\n## Check the signature\n")[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(
    ([, language = "", code = ""]) =>
      LANGUAGES[language] ? [[LANGUAGES[language], code.trimEnd()]] : [],
  );
}

webhookSignaturePage.get("/app/webhooks/signature", signedIn("read:pages"), async (c) => {
  const [guide] = await Promise.all([
    readGuideText(c.var.deps, "webhooks"),
    c.var.ctx.read("webhooks:read", []),
  ]);
  return renderOwnPage(
    c,
    { title: "Check a signature", here: "/app/webhooks", styles: STYLES },
    <>
      <p>
        <a href="/app/webhooks">All webhooks</a>
      </p>
      <h1>Check that an event comes from here</h1>
      <p>
        Each event is signed with the secret of its webhook. Your program computes the same
        signature, and believes the event only if both are equal.
      </p>
      {snippetsOf(guide).map(([language, code]) => (
        <Section id={language.toLowerCase()} title={language}>
          <pre tabindex={0}>{code}</pre>
        </Section>
      ))}
      <p class="muted">
        More in the <a href="/docs/webhooks#check-the-signature">guide of webhooks</a>.
      </p>
    </>,
  );
});
