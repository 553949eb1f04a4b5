import type { AppLinks } from "./app-links.ts";
import type { Preview } from "./target.ts";

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c);

const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
};

const STYLE =
  "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem;color-scheme:light dark}a{color:inherit}";

interface Page {
  title: string;
  head?: string;
  body: string;
  /** Sources of scripts for the Content-Security-Policy. */
  scripts?: string;
  status?: number;
}

function page({ title, head = "", body, scripts = "'none'", status = 200 }: Page): Response {
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>${escapeHtml(title)}</title>${head}<style>${STYLE}</style></head>
<body>${body}</body></html>`;
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src ${scripts}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return new Response(html, { status, headers: { ...HEADERS, "Content-Security-Policy": policy } });
}

/** Missing, inactive and deleted links look the same to visitors. */
export const notFoundPage = (): Response =>
  page({
    title: "No such link",
    body: "<h1>There is no such link</h1><p>It may have been mistyped, or switched off. Ask the person who gave it to you.</p>",
    status: 404,
  });

const meta = (property: string, content: string | null): string =>
  content === null ? "" : `<meta property="${property}" content="${escapeHtml(content)}">`;

export function previewPage(
  { title, description, imageUrl }: Preview,
  { url, destination }: { url: string; destination: string },
): Response {
  const shown = title ?? new URL(destination).hostname;
  const card = imageUrl === null ? "summary" : "summary_large_image";
  const head = [
    meta("og:type", "website"),
    meta("og:url", url),
    meta("og:title", shown),
    meta("og:description", description),
    meta("og:image", imageUrl),
    `<meta name="twitter:card" content="${card}">`,
  ].join("");
  const link = `<a rel="noreferrer" href="${escapeHtml(destination)}">${escapeHtml(shown)}</a>`;
  return page({
    title: shown,
    head,
    body: `<h1>${link}</h1><p>${escapeHtml(description ?? "")}</p>`,
  });
}

const inScript = (value: string): string => JSON.stringify(value).replace(/</g, "\\u003c");

export function appPage({ app, web }: AppLinks): Response {
  const nonce = crypto.randomUUID();
  const script = `let left=false;document.addEventListener("visibilitychange",()=>{if(document.hidden)left=true});setTimeout(()=>{if(!left)location.replace(${inScript(web)})},1500);location.href=${inScript(app)};`;
  return page({
    title: "Opening the app",
    head: `<noscript><meta http-equiv="refresh" content="0;url=${escapeHtml(web)}"></noscript>`,
    body: `<p>Opening the app.</p><p><a href="${escapeHtml(app)}">Open it</a> or <a href="${escapeHtml(web)}">go on in the browser</a>.</p><script nonce="${nonce}">${script}</script>`,
    scripts: `'nonce-${nonce}'`,
  });
}
