import { Hono } from "hono";
import type { Release } from "../../core/release.ts";
import { Fact } from "../../pages/fact.tsx";
import { clockOf, Time } from "../../pages/times.tsx";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { renderOwnPage, Section, State } from "./parts.tsx";

export const versionPage = new Hono<PageEnv>();

versionPage.get("/app/settings/version", signedIn("read:pages"), async (c) => {
  const { readVersion } = await import("../version/service.ts");
  const { ctx } = c.var;
  const { version, deployed, migrations, newest, zone } = await readVersion(ctx);
  return renderOwnPage(
    c,
    { title: "Version", here: null },
    <>
      <p>
        <a href="/app/settings">All settings</a>
      </p>
      <h1>Version of this instance</h1>
      <p class="muted">Only you, the owner of this instance, see this page.</p>
      <Section id="running" title="What runs">
        <dl>
          <Fact name="Version">Akimbo {version}</Fact>
          {deployed && (
            <>
              <Fact name="Deployed">
                <Time at={deployed.at} clock={clockOf(zone)} />
              </Fact>
              <Fact name="Cloudflare's id">
                <code>{deployed.id}</code>
              </Fact>
            </>
          )}
          <Fact name="Database">
            {migrations.length} migrations, the last is <code>{migrations.at(-1) ?? "none"}</code>
          </Fact>
        </dl>
        {deployed && (
          <p>
            Back to the version before, with everything that was stored since:{" "}
            <code>npm run deploy -- --back</code>
          </p>
        )}
      </Section>
      <Section id="newest" title="Newest release">
        <Newest newest={newest} />
      </Section>
    </>,
  );
});

type Found = Awaited<ReturnType<typeof import("../version/service.ts")["readVersion"]>>["newest"];

function Newest({ newest }: { newest: Found }) {
  if (newest === null) {
    return (
      <p>
        This instance asks nobody for newer releases. To see them here, set{" "}
        <a href="/docs/settings#releases">
          <code>RELEASES_URL</code>
        </a>
        . The request says nothing about your instance.
      </p>
    );
  }
  if ("problem" in newest) {
    return (
      <p>
        <State text="Not read" tone="bad" /> {newest.problem} Nothing was changed. Look again later.
      </p>
    );
  }
  const { release, isNewer, migrations, refusal } = newest;
  if (!isNewer && !refusal) {
    return (
      <p>
        <State text="Up to date" tone="good" /> {release.version} of {release.date} is the newest
        release.
      </p>
    );
  }
  return (
    <>
      <p>
        <strong>{release.version}</strong> of {release.date}. {refusal}
      </p>
      <ul>
        {release.changes.map((change) => (
          <li>{change}</li>
        ))}
      </ul>
      <Migrations migrations={migrations} />
      {!refusal && <HowToUpgrade />}
    </>
  );
}

const HowToUpgrade = () => (
  <>
    <p>To upgrade, in the folder that you deploy from:</p>
    <ul>
      <li>
        If it came with Cloudflare's button: <code>npm run update</code> downloads the release. Then{" "}
        <code>npm run deploy</code>, or commit and push. The deployment prints the command that
        brings the database back; the backup is that of the last night.
      </li>
      <li>
        If it is the project: get the new version, then <code>npm install</code> and{" "}
        <code>npm run deploy</code>, which backs up first and goes back by itself if the new version
        is not well.
      </li>
    </ul>
  </>
);

function Migrations({ migrations }: { migrations: Release["migrations"] }) {
  if (migrations.length === 0) return <p>The database stays as it is.</p>;
  return (
    <>
      <p>The database gets {migrations.length === 1 ? "a migration" : "migrations"}:</p>
      <ul>
        {migrations.map(({ name, bytes }) => (
          <li>
            <code>{name}</code>, {bytes.toLocaleString("en")} bytes of SQL
          </li>
        ))}
      </ul>
    </>
  );
}
