import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { renderPage } from "./layout.tsx";
import { ShownTeam } from "./team-form.tsx";

/** `key` follows `g` on the keyboard. */
const WORK = [
  { path: "/app", name: "Home", key: "h" },
  { path: "/app/compose", name: "Compose", key: "n" },
  { path: "/app/calendar", name: "Calendar", key: "c" },
  { path: "/app/uploads", name: "Posts", key: "p" },
  { path: "/app/pools", name: "Pools", key: "o" },
  { path: "/app/media", name: "Media", key: "m" },
  { path: "/app/short-links", name: "Links", key: "l" },
  { path: "/app/analytics", name: "Analytics", key: "f" },
] as const;

const HOUSE = [
  { path: "/app/accounts", name: "Accounts", key: "a" },
  { path: "/app/webhooks", name: "Webhooks", key: "w" },
  { path: "/app/tokens", name: "Tokens", key: "t" },
  { path: "/app/team", name: "Team", key: "e" },
  { path: "/app/activity", name: "Activity", key: "v" },
  { path: "/app/settings", name: "Settings", key: "s" },
] as const;

type Place = (typeof WORK | typeof HOUSE)[number];

export const islandPath = (name: string): string => `/app/islands/${name}.js`;

const MENU = islandPath("menu");

export interface Viewer {
  email: string;
  team: { id: number; name: string };
  teams: readonly { id: number; name: string }[];
}

export interface AppPage {
  title: string;
  here: Place["path"] | null;
  /** Must be a constant. */
  styles?: string;
  status?: number;
  /** Besides the menu, which is on every page. */
  scripts?: readonly string[];
  imageSources?: string;
  hasMedia?: boolean;
  mediaSources?: string;
  connectSources?: string;
  formTargets?: string;
  /** Registers a service worker; must be a constant. */
  workerScript?: string;
}

const APP_STYLES = `
.top { background: var(--card); border-bottom: 1px solid var(--line); }
.top > * { width: min(100% - 2rem, 60rem); margin-inline: auto; }
.top > div { display: flex; gap: .8rem; align-items: center; padding-block: .6rem .3rem; }
.brand { font-weight: 700; color: var(--ink); text-decoration: none; }
.who { display: grid; flex: 1; min-width: 0; text-align: right; font-size: .82rem; line-height: 1.4; color: var(--muted); }
.who > * { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; outline-offset: -2px; }
.top button { min-height: 0; padding: .3rem .7rem; font-size: .9rem; white-space: nowrap; }
.nav { display: flex; justify-content: space-between; gap: .6rem; padding-block: 0 .5rem; overflow-x: auto; scrollbar-width: thin; }
.top .nav { width: min(100% - 1.1rem, 60.9rem); }
.nav ul { display: flex; gap: .1rem; margin: 0; padding: 0; list-style: none; }
.nav a { display: block; padding: .35rem .45rem; border-radius: .5rem; text-decoration: none; color: var(--ink); font-size: .9rem; outline-offset: -3px; }
.nav ul + ul a:not([aria-current]) { color: var(--muted); }
.nav a:hover { background: var(--accent-soft); }
.nav a[aria-current] { background: var(--accent); color: var(--accent-ink); scroll-initial-target: nearest; }
.nav a[aria-current]:focus-visible { outline-color: var(--accent-ink); }
.page { width: min(100% - 2rem, 60rem); }
h2 { font-size: 1.2rem; }
.card > * + * { margin-top: .8rem; }
.list { list-style: none; margin: 0; padding: 0; }
.list > li:last-child { padding-bottom: 0; }
.list > li { padding-block: .8rem; border-top: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: .3rem 1rem; align-items: center; }
.list > li:first-child { border-top: 0; }
.list .grow { flex: 1 1 16rem; min-width: 0; overflow-wrap: anywhere; }
.muted { color: var(--muted); font-size: .92rem; }
.state { display: inline-block; padding: .1rem .6rem; border-radius: 99rem; font-size: .82rem; font-weight: 600; background: var(--code); }
.state.good { background: var(--good-soft); color: var(--good); }
.state.bad { background: var(--bad-soft); color: var(--bad); }
.state.wait { background: var(--wait-soft); color: var(--wait); }
form { margin: 0; }
.fields { display: grid; gap: .9rem; max-width: 34rem; }
.card.fields > * { margin-top: 0; }
label { font-weight: 600; font-size: .95rem; display: block; }
.hint { color: var(--muted); font-size: .88rem; font-weight: 400; }
.error { color: var(--bad); font-size: .92rem; font-weight: 600; margin: .25rem 0 0; }
input:not([type=checkbox], [type=radio]), select, textarea {
  font: inherit; font-weight: 400; width: 100%; max-width: 100%; padding: .55rem .7rem; margin-top: .25rem; color: var(--ink); background: var(--ground);
  border: 1px solid var(--edge); border-radius: .5rem;
}
input[type=color] { width: 4rem; height: 2.6rem; padding: .2rem; }
[aria-invalid=true]:is(input, select, textarea) { border-color: var(--bad); }
input[type=checkbox], input[type=radio] { width: 1.1rem; height: 1.1rem; flex: none; margin: .2rem .55rem 0 0; accent-color: var(--accent); }
label:has(> [type=checkbox], > [type=radio]) { display: flex; align-items: start; font-weight: 400; }
:is(input, select) + .hint { display: block; margin-top: .25rem; }
fieldset { border: 1px solid var(--line); border-radius: .6rem; padding: .7rem .9rem; margin: 0; min-width: 0; }
fieldset > :not(legend) + * { margin-top: .7rem; }
legend { font-weight: 600; padding-inline: .3rem; }
.checks { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .4rem; }
button, .button {
  font: inherit; font-weight: 600; display: inline-block; padding: .5rem 1rem; min-height: 2.6rem; border-radius: .55rem; border: 1px solid transparent;
  background: var(--accent); color: var(--accent-ink); cursor: pointer; text-decoration: none;
}
button.quiet, .button.quiet { background: transparent; color: var(--accent); border-color: var(--edge); }
button.danger { background: transparent; color: var(--bad); border-color: var(--bad); }
.row { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; }
.row > label { flex: 1 1 10rem; }
.row.head { justify-content: space-between; align-items: center; }
.list .row { flex-wrap: nowrap; }
.list .row button { white-space: nowrap; }
.notice { border-radius: .7rem; padding: .8rem 1rem; background: var(--accent-soft); }
.notice.bad { background: var(--bad-soft); color: var(--bad); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .95rem; }
th, td { text-align: left; padding: .5rem .6rem; border-top: 1px solid var(--line); vertical-align: top; }
dl { display: grid; grid-template-columns: minmax(7rem, auto) 1fr; gap: .4rem 1rem; margin: 0; }
[hidden] { display: none !important; }
dt { color: var(--muted); } dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
h3 { font-size: 1.02rem; }
.why { font-size: .92rem; margin-top: .2rem; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.filters { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 8.4rem), 1fr)); gap: .7rem; align-items: end; }
.filters :is(input, select) { height: 2.6rem; padding: .3rem .5rem; }
.filters > * + * { margin-top: 0; }
.filters .row { grid-column: 1 / -1; }
.actions { align-items: start; }
details[open] > :not(summary) { margin-top: .6rem; }
summary { cursor: pointer; padding: .5rem .3rem; color: var(--accent); font-weight: 600; }
details form > * + * { margin-top: .6rem; }
.card > .timeline { margin-bottom: 0; padding-left: 1.4rem; }
.timeline li { overflow-wrap: anywhere; }
.timeline li + li { margin-top: .7rem; }
.files { display: flex; flex-wrap: wrap; gap: 1rem; list-style: none; margin-bottom: 0; padding: 0; }
.files li { max-width: 100%; overflow-wrap: anywhere; }
.files img { display: block; max-width: 100%; height: auto; border-radius: .5rem; border: 1px solid var(--line); background: var(--code); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.menu { width: min(100% - 2rem, 30rem); margin-top: 12vh; padding: 1rem; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 1rem; }
.menu::backdrop { background: rgb(0 0 0 / .45); }
.menu > * + * { margin-top: .8rem; }
.menu ul { list-style: none; margin-bottom: 0; padding: 0; }
.menu li a { display: block; padding: .5rem .7rem; border-radius: .5rem; text-decoration: none; }
kbd { padding: .1rem .4rem; font: inherit; font-size: .85em; background: var(--code); border: 1px solid var(--line); border-radius: .3rem; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } }
`;

const PLAIN_STYLES = ".page { width: min(100% - 2rem, 42rem); }";

const Places = ({ places, here }: { places: readonly Place[]; here: AppPage["here"] }) => (
  <ul>
    {places.map(({ path, name, key }) => (
      <li>
        <a href={path} aria-current={path === here ? "page" : undefined} data-command={key}>
          {name}
        </a>
      </li>
    ))}
  </ul>
);

const Top = ({ viewer, here }: { viewer: Viewer; here: AppPage["here"] }) => (
  <header class="top">
    <div>
      <a class="brand" href="/app">
        Akimbo
      </a>
      <div class="who">
        <span>{viewer.team.name}</span>
        <a href="/app/me">{viewer.email}</a>
      </div>
      <form method="post" action="/sign-in/out">
        <button class="quiet" type="submit">
          Sign out
        </button>
      </form>
    </div>
    <nav class="nav" aria-label="Pages">
      <Places places={WORK} here={here} />
      <Places places={HOUSE} here={here} />
    </nav>
  </header>
);

export const renderAppPage = (
  c: Context,
  viewer: Viewer,
  { title, here, styles = "", status, scripts = [], workerScript, ...rest }: AppPage,
  content: Child,
): Promise<Response> =>
  renderPage(
    c,
    {
      title,
      styles: APP_STYLES + styles,
      hasForms: true,
      header: <Top viewer={viewer} here={here} />,
      ...rest,
      teamId: viewer.team.id,
      scripts: [MENU, ...scripts],
      ...(status ? { status } : {}),
      ...(workerScript ? { inlineScript: workerScript, hasWorker: true } : {}),
    },
    <ShownTeam.Provider value={viewer.team.id}>{content}</ShownTeam.Provider>,
  );

type PlainPage = Omit<Parameters<typeof renderPage>[1], "header" | "hasForms">;

export const renderPlainPage = (
  c: Context,
  { styles = "", ...page }: PlainPage,
  content: Child,
): Promise<Response> =>
  renderPage(c, { ...page, styles: APP_STYLES + PLAIN_STYLES + styles, hasForms: true }, content);
