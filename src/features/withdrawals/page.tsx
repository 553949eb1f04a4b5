import { Hono } from "hono";
import { notFound } from "../../core/errors.ts";
import { countVisitor } from "../../http/caller.ts";
import type { AppEnv } from "../../http/env.ts";
import { renderPlainPage } from "../../pages/app-layout.tsx";
import { platformName } from "../../platforms/registry.ts";
import { readConfirmation } from "./service.ts";

export const deletionPage = new Hono<AppEnv>();

deletionPage.get("/oauth/deleted/:code", async (c) => {
  await countVisitor(c, "read:pages");
  const deletion = await readConfirmation(c.var.deps, c.req.param("code"));
  if (!deletion) throw notFound("Deletion");
  const { platform, at, accounts } = deletion;
  const name = platformName(platform);
  const day = at.toISOString().slice(0, 10);
  const minute = at.toISOString().slice(11, 16);
  return renderPlainPage(
    c,
    { title: "Your data was deleted" },
    <>
      <h1>Your data was deleted</h1>
      <section class="card">
        {accounts === 0 ? (
          <p>
            {name} asked for this in your name on {day} at {minute} UTC. Nothing of you was kept
            here at that time, so that nothing was left to delete.
          </p>
        ) : (
          <>
            <p>
              {name} asked for this in your name on {day} at {minute} UTC, and it was done at once.
              Deleted:
            </p>
            <ul>
              <li>
                {accounts === 1 ? "one account" : `${accounts} accounts`} of {name} that you had
                connected, with name, picture and ids
              </li>
              <li>the access to {name} that you had granted</li>
              <li>the plan to publish posts that were waiting for it</li>
            </ul>
            <p>
              Events that name the account are deleted 30 days after they happened. Posts that were
              published are still on {name}, and are deleted there; the people who wrote them here
              keep their own texts and files.
            </p>
          </>
        )}
      </section>
    </>,
  );
});
