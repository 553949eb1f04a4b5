import { Hono } from "hono";
import { countVisitor } from "../../http/caller.ts";
import type { AppEnv } from "../../http/env.ts";
import { renderPlainPage } from "../../pages/app-layout.tsx";
import { brandingOfOperator } from "../settings/repo.ts";
import { Section } from "./parts.tsx";
import { Contact, PlatformSections } from "./terms-parts.tsx";

/** Platforms require this page of app owners. */
export const termsPage = new Hono<AppEnv>();

termsPage.get("/terms", async (c) => {
  const [[[branding]]] = await Promise.all([
    c.var.deps.db.run([brandingOfOperator()]),
    countVisitor(c, "read:pages"),
  ]);
  return renderPlainPage(
    c,
    { title: "Terms" },
    <>
      <h1>Terms</h1>
      <p>
        This service publishes posts to the social accounts that people connect to it, and shows how
        the posts do. Whoever uses it agrees to what stands here.
      </p>
      <Section id="accounts" title="Your accounts and posts">
        <p>
          Connect only accounts that are yours, or whose owner lets you. You answer for the posts
          that you publish: you need the rights to their texts, pictures and videos.
        </p>
        <p>
          A post also keeps the rules of the platform that it goes to. A platform may refuse, hide
          or remove it, or end the access of this service.
        </p>
      </Section>
      <PlatformSections />
      <Section id="data" title="Your data">
        <p>
          The <a href="/privacy">privacy page</a> says what is kept and for how long, and how you
          download it or have it removed.
        </p>
      </Section>
      <Section id="end" title="Ending">
        <p>
          You stop at any time: disconnect your accounts, then leave the team or delete it. The
          person who runs this instance may end your access.
        </p>
      </Section>
      <Section id="contact" title="Contact">
        <Contact name={branding?.name ?? null} link={branding?.link ?? null} />
      </Section>
    </>,
  );
});
