import { Hono } from "hono";
import { raw } from "hono/html";
import { AppError } from "../../core/errors.ts";
import {
  examplePlatforms,
  fillExamples,
  type GuideEntry,
  type GuideGroup,
  type GuidePage,
} from "../../core/guides.ts";
import { type AppContext, type AppEnv, publicOrigin } from "../../http/env.ts";
import {
  readGuideAsset,
  readGuideGroups,
  readGuidePage,
  readGuidePicture,
  readGuideText,
} from "../../http/guides.ts";
import { renderPage } from "../../pages/layout.tsx";
import { accountsOfTeam } from "../accounts/repo.ts";
import { cookieValue, sessionCookieName } from "../auth/cookie.ts";
import { countPerson } from "../auth/signed-in.ts";
import { GUIDE_STYLES } from "./styles.ts";

export const guidePages = new Hono<AppEnv>();

guidePages.get("/docs/:name{[a-z0-9-]+}", (c) => showGuide(c, c.req.param("name")));
guidePages.get("/docs/:file{[a-z0-9-]+\\.md}", (c) => sendText(c, c.req.param("file")));
guidePages.get("/docs/platforms/:name{[a-z_]+}", (c) => {
  return showGuide(c, `platforms/${c.req.param("name")}`);
});
guidePages.get("/docs/platforms/:file{[a-z_]+\\.md}", (c) => {
  return sendText(c, `platforms/${c.req.param("file")}`);
});
guidePages.get("/docs/search.js", async (c) => {
  const script = await readGuideAsset(c.var.deps, c.req.path);
  return sendAsset(c, "text/javascript; charset=utf-8", script);
});

guidePages.get("/docs/search.json", async (c) => {
  const index = await readGuideAsset(c.var.deps, c.req.path);
  return sendAsset(c, "application/json", fillExamples(index, originOf(c)));
});

guidePages.get("/docs/pictures/:file{[a-z-]+\\.jpg}", async (c) => {
  const picture = await readGuidePicture(c.var.deps, c.req.path);
  return c.body(picture, 200, { "Content-Type": "image/jpeg", "Cache-Control": CACHED });
});

const originOf = (c: AppContext): string => publicOrigin(c.var.deps, c.req.url);

/** Guides change only with the instance's version, so browsers may cache them. */
const CACHED = "public, max-age=300";

const sendAsset = (c: AppContext, type: string, text: string): Response =>
  c.body(text, 200, { "Content-Type": type, "Cache-Control": CACHED });

async function sendText(c: AppContext, file: string): Promise<Response> {
  const text = await readGuideText(c.var.deps, file.replace(/\.md$/, ""));
  return sendAsset(c, "text/markdown; charset=utf-8", fillExamples(text, originOf(c)));
}

/** The reader's team and account ids, which the examples show. */
interface OwnAccounts {
  team: string;
  ids: ReadonlyMap<string, string>;
}

/** Null when no person is signed in. Asks the database only for a signed cookie. */
async function findOwnAccounts(c: AppContext): Promise<OwnAccounts | null> {
  const cookies = c.req.header("cookie") ?? null;
  if (cookieValue(cookies, sessionCookieName(originOf(c))) === null) return null;
  try {
    const ctx = await countPerson(c, "read:docs");
    const [accounts] = await ctx.read("*", [accountsOfTeam(ctx.team, { status: "connected" })]);
    const { person, actor } = ctx;
    return {
      team: person.teams.find(({ id }) => id === actor.teamId)?.name ?? "",
      ids: new Map(accounts.map(({ platform, id }) => [platform, id])),
    };
  } catch (error) {
    // For an old cookie or too many pages, the guide shows no account ids.
    if (error instanceof AppError) return null;
    throw error;
  }
}

async function showGuide(c: AppContext, name: string): Promise<Response> {
  const { deps } = c.var;
  const [guide, groups] = await Promise.all([readGuidePage(deps, name), readGuideGroups(deps)]);
  const platforms = examplePlatforms(guide.html);
  const own = platforms.length > 0 ? await findOwnAccounts(c) : null;
  const html = fillExamples(guide.html, originOf(c), own?.ids);
  return renderPage(
    c,
    {
      title: guide.title,
      styles: GUIDE_STYLES,
      scripts: ["/docs/search.js"],
      header: <Bar />,
      side: <Side groups={groups} here={name} sections={guide.sections} />,
    },
    <>
      <h1>{guide.title}</h1>
      {platforms.length > 0 && <Examples own={own} platforms={platforms} />}
      <div class="guide">{raw(html)}</div>
      <Turn groups={groups} here={name} />
      <p class="source">
        <a href={`/docs/${name}.md`}>This guide as Markdown</a>
      </p>
    </>,
  );
}

const Bar = () => (
  <header class="bar">
    <a class="brand" href="/">
      Akimbo
    </a>
    <nav aria-label="Documentation">
      <a href="#guides">All guides</a>
      <a href="/docs">API reference</a>
    </nav>
  </header>
);

const Examples = ({ own, platforms }: { own: OwnAccounts | null; platforms: string[] }) => {
  if (!own) {
    return (
      <p class="note">
        <a href="/sign-in">Sign in</a> to see the ids of your own accounts in the examples, in place
        of <code>{`acc_${platforms[0]}`}</code>.
      </p>
    );
  }
  const missing = platforms.filter((platform) => !own.ids.has(platform));
  return (
    <p class="note">
      The examples name accounts of the team {own.team}.
      {missing.length > 0 && ` It has no account for ${missing.join(", ")}.`}
    </p>
  );
};

interface SideProps {
  groups: readonly GuideGroup[];
  here: string;
  sections: GuidePage["sections"];
}

const Side = ({ groups, here, sections }: SideProps) => (
  <div class="side" id="guides">
    <div id="search" hidden></div>
    <nav aria-label="Guides">
      {groups.map(({ title, guides }) => (
        <>
          <h2>{title}</h2>
          <ul>
            {guides.map(({ name, title: guide }) => (
              <li>
                <a href={`/docs/${name}`} aria-current={name === here ? "page" : undefined}>
                  {guide}
                </a>
                {name === here && <Sections sections={sections} />}
              </li>
            ))}
          </ul>
        </>
      ))}
    </nav>
  </div>
);

const Sections = ({ sections }: Pick<SideProps, "sections">) => (
  <ul>
    {sections.map(({ id, title }) => (
      <li>
        <a href={`#${id}`}>{title}</a>
      </li>
    ))}
  </ul>
);

/** The page with the list links to the first guide. */
const Turn = ({ groups, here }: Pick<SideProps, "groups" | "here">) => {
  const guides: GuideEntry[] = groups.flatMap((group) => group.guides);
  const place = guides.findIndex(({ name }) => name === here);
  const before = guides[place - 1];
  const after = guides[place + 1];
  return (
    <nav class="turn" aria-label="Previous and next guide">
      {before && (
        <a rel="prev" href={`/docs/${before.name}`}>
          ← {before.title}
        </a>
      )}
      {after && (
        <a rel="next" href={`/docs/${after.name}`}>
          {after.title} →
        </a>
      )}
    </nav>
  );
};
