import type { Context } from "hono";
import { html, raw } from "hono/html";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** Contrast is at least 4.5:1 in both colour schemes. */
const BASE_STYLES = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f9; --card: #ffffff; --ink: #171a26; --muted: #565d73; --line: #dfe2ec;
  --accent: #3a46d6; --accent-ink: #ffffff; --accent-soft: #e9ebfd; --code: #eef0f6; --edge: #868da3;
  --good: #0b6b3c; --good-soft: #dff3e7; --bad: #a1202b; --bad-soft: #fde5e6; --wait: #7a4b00; --wait-soft: #fbeed2;
  --shadow: 0 1px 2px rgb(20 24 50 / .06), 0 6px 20px rgb(20 24 50 / .05);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1118; --card: #181b26; --ink: #eceef6; --muted: #a4abc2; --line: #2b3040;
    --accent: #a5adff; --accent-ink: #11142b; --accent-soft: #252a4d; --code: #10131c; --edge: #6f7690;
    --good: #7ddba6; --good-soft: #163325; --bad: #ff9da3; --bad-soft: #43191d; --wait: #f0c878; --wait-soft: #3a2c10;
    --shadow: none;
  }
}
*, *::before, *::after { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  -webkit-text-size-adjust: 100%;
}
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible, :is([type=date], [type=time], [type=datetime-local]):focus-within { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
h1, h2, h3 { line-height: 1.2; margin: 0; text-wrap: balance; }
h1 { font-size: clamp(1.6rem, 1.2rem + 1.8vw, 2.2rem); letter-spacing: -.02em; }
p { margin: 0; }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { overflow-wrap: anywhere; }
pre {
  margin: 0; padding: .75rem .9rem; overflow-x: auto; background: var(--code);
  border-radius: .6rem; white-space: pre-wrap; overflow-wrap: anywhere;
}
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem .8rem; background: var(--card); z-index: 1; }
.page { width: min(100% - 2rem, 46rem); margin-inline: auto; padding-block: clamp(1.5rem, 5vw, 3.5rem); }
.page > * + * { margin-top: 1.5rem; }
.lead { color: var(--muted); margin-top: .5rem; max-width: 38rem; }
.card {
  background: var(--card); border: 1px solid var(--line); border-radius: 1rem;
  padding: clamp(1rem, 3vw, 1.4rem); box-shadow: var(--shadow);
}
.foot a + a { margin-left: 1rem; }
.foot { width: min(100% - 2rem, 60rem); margin: 0 auto 1.5rem; text-align: center; font-size: .9rem; }
.chips { display: flex; flex-wrap: wrap; gap: .5rem; list-style: none; margin: 0; padding: 0; }
.chip {
  display: inline-block; padding: .35rem .85rem; border-radius: 99rem; border: 1px solid var(--line);
  background: var(--card); color: var(--ink); text-decoration: none; font-size: .92rem;
}
.chip:hover { border-color: var(--accent); }
.chip[aria-current] { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
`;

interface Page {
  title: string;
  /** Must be a constant, because it is inserted unescaped. */
  styles?: string;
  status?: number;
  /** When false, the content security policy blocks all forms of the page. */
  hasForms?: boolean;
  hasWorker?: boolean;
  /** CSP sources for forms. Browsers apply them to a form's redirects too. */
  formTargets?: string;
  /** CSP sources for pictures, besides this origin. */
  imageSources?: string;
  /** Addresses on this origin. The page must work without them. */
  scripts?: readonly string[];
  /** Must be a constant, because it is inserted unescaped. The page must work without it. */
  inlineScript?: string;
  hasMedia?: boolean;
  /** CSP sources for videos, besides this origin. */
  mediaSources?: string;
  /** CSP sources for calls of scripts, besides this origin. */
  connectSources?: string;
  /** The address itself grants access, so it is never sent as a referrer. */
  isSecret?: boolean;
  /** Name of the site after the page's title. The default is Akimbo. */
  site?: string;
  header?: Child;
  /** For scripts, which name it in their calls. */
  teamId?: number;
  /** A list of further pages, placed after the content. */
  side?: Child;
}

const hashes = new Map<string, Promise<string>>();

function hashSource(styles: string): Promise<string> {
  const existing = hashes.get(styles);
  if (existing) return existing;
  const fresh = crypto.subtle
    .digest("SHA-256", new TextEncoder().encode(styles))
    .then((digest) => `'sha256-${new Uint8Array(digest).toBase64()}'`);
  hashes.set(styles, fresh);
  return fresh;
}

const sources = (...parts: (string | false | undefined)[]): string =>
  parts.filter(Boolean).join(" ");

/**
 * Pages are private: browsers neither store nor frame them, search engines do not index them, and links do not reveal
 * their address.
 */
export async function renderPage(c: Context, page: Page, content: Child): Promise<Response> {
  const styles = BASE_STYLES + (page.styles ?? "");
  const { scripts = [], inlineScript, isSecret = false } = page;
  const isScripted = scripts.length > 0 || inlineScript !== undefined;
  const inlineHash = inlineScript && (await hashSource(inlineScript));
  c.header(
    "Content-Security-Policy",
    [
      "default-src 'none'",
      `style-src ${await hashSource(styles)}`,
      sources("img-src 'self'", page.imageSources),
      ...(page.hasMedia ? [sources("media-src 'self'", page.mediaSources)] : []),
      page.hasForms ? sources("form-action 'self'", page.formTargets) : "form-action 'none'",
      ...(isScripted ? [sources("script-src", scripts.length > 0 && "'self'", inlineHash)] : []),
      ...(scripts.length > 0 ? [sources("connect-src 'self'", page.connectSources)] : []),
      "frame-ancestors 'none'",
      ...(page.hasWorker ? ["worker-src 'self'"] : []),
      "base-uri 'none'",
    ].join("; "),
  );
  c.header("X-Content-Type-Options", "nosniff");
  // A form reveals its origin only to this service.
  c.header("Referrer-Policy", page.hasForms && !isSecret ? "same-origin" : "no-referrer");
  c.header("X-Robots-Tag", "noindex");
  c.header("Cache-Control", "no-store");
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {isSecret && <meta name="robots" content="noindex, nofollow" />}
        <title>
          {page.title} · {page.site ?? "Akimbo"}
        </title>
        <style>{raw(styles)}</style>
        {scripts.map((address) => (
          <script type="module" src={address} />
        ))}
      </head>
      <body data-team={page.teamId}>
        <a class="skip" href="#content">
          Skip to content
        </a>
        {page.header}
        <main id="content" class="page">
          {content}
        </main>
        {page.side}
        <footer class="foot">
          <a href="/terms">Terms</a> <a href="/privacy">Privacy</a>
        </footer>
        {inlineScript && <script>{raw(inlineScript)}</script>}
      </body>
    </html>
  );
  const status = page.status as ContentfulStatusCode | undefined;
  return c.html(html`<!doctype html>${document}`, status);
}
