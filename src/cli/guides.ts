import { readdir, readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import GithubSlugger from "github-slugger";
import { Marked, type Token, type Tokens } from "marked";
import {
  GUIDE_GROUPS_PATH,
  GUIDE_LIST,
  type GuideGroup,
  type GuidePage,
  guidePagePath,
  guideTextPath,
} from "../core/guides.ts";
import { inProject } from "./paths.ts";
import { Problem } from "./program.ts";

export const GUIDES_FOLDER = inProject("src/docs");

/** `npm run test:browser` fills it. An instance that is built without it has guides without pictures. */
export const PICTURES_FOLDER = inProject(".pictures");

/** A picture's place in a guide; GitHub does not show it. */
const PICTURE = /^<!-- picture ([a-z-]+): (.+?) -->\s*$/;

const PICTURE_SIZE = { width: 1_280, height: 800 };

export const pictureFile = (name: string): string => `docs/pictures/${name}.jpg`;

const escapeHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

export async function readGuides(folder: string = GUIDES_FOLDER): Promise<Map<string, string>> {
  const files = await readdir(folder, { recursive: true });
  const names = files.flatMap((file) => (file.endsWith(".md") ? [file.slice(0, -3)] : [])).sort();
  return new Map(
    await Promise.all(
      names.map(
        async (name) => [name, await readFile(join(folder, `${name}.md`), "utf8")] as const,
      ),
    ),
  );
}

const ENTRY = /^- \[(.+?)\]\((\S+?)\.md\): (.+)$/;

/** @throws Problem unless the list names each guide exactly once */
export function readGroups(guides: ReadonlyMap<string, string>): GuideGroup[] {
  const groups: GuideGroup[] = [];
  for (const line of guides.get(GUIDE_LIST)?.split("\n") ?? []) {
    if (line.startsWith("## ")) groups.push({ title: line.slice(3).trim(), guides: [] });
    const [, title, name, description] = ENTRY.exec(line) ?? [];
    if (title && name && description) groups.at(-1)?.guides.push({ title, name, description });
  }
  const listed = groups.flatMap((group) => group.guides.map(({ name }) => name)).sort();
  const present = [...guides.keys()].filter((name) => name !== GUIDE_LIST);
  if (listed.join() !== present.join()) {
    const without = (some: string[], others: string[]) =>
      some.filter((name, i) => !others.includes(name) || some.indexOf(name) !== i).join(", ");
    throw new Problem(
      `src/docs/${GUIDE_LIST}.md has to list each guide once. ` +
        `Missing there: ${without(present, listed) || "none"}. Without a file, or twice: ${without(listed, present) || "none"}.`,
    );
  }
  return groups;
}

/**
 * Returns null for a file that instances do not serve.
 *
 * @throws Problem for a guide that does not exist
 */
function toAddress(href: string, from: string, names: ReadonlySet<string>): string | null {
  if (/^(?:[a-z]+:|#)/.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const target = posix.join(posix.dirname(from), path);
  if (target.startsWith("../")) return null;
  const name = target.replace(/\.md$/, "");
  if (!names.has(name))
    throw new Problem(`src/docs/${from}.md leads to ${href}, which is no guide.`);
  return `/docs/${name}${anchor === undefined ? "" : `#${anchor}`}`;
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === "html") return " ";
      if (token.type === "table") {
        const { header, rows } = token as Tokens.Table;
        return [header, ...rows]
          .map((row) => row.map((cell) => plainText(cell.tokens)).join(" "))
          .join(" ");
      }
      if (token.type === "list") {
        return (token as Tokens.List).items.map((item) => plainText(item.tokens)).join(" ");
      }
      const inner = "tokens" in token && token.tokens ? plainText(token.tokens) : null;
      return inner ?? ("text" in token ? String(token.text) : " ");
    })
    .join("");
}

interface Section {
  id: string;
  heading: string;
  texts: string[];
}

/**
 * @param pictures names of the pictures that have been taken
 * @throws Problem for a missing title or a broken link
 */
export function renderGuide(
  name: string,
  text: string,
  names: ReadonlySet<string>,
  pictures: ReadonlySet<string> = new Set(),
) {
  const slugger = new GithubSlugger();
  const ids = new Map<Token, string>();
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(text);
  const sections: Section[] = [{ id: "", heading: "", texts: [] }];
  let title: string | undefined;
  for (const token of tokens) {
    if (token.type !== "heading") {
      sections.at(-1)?.texts.push(plainText([token]));
      continue;
    }
    const heading = plainText(token.tokens ?? []);
    const id = slugger.slug(heading);
    ids.set(token, id);
    if (token.depth > 1) sections.push({ id, heading, texts: [] });
    else title ??= heading;
  }
  if (!title) throw new Problem(`src/docs/${name}.md has no title.`);
  marked.use({
    renderer: {
      heading(token) {
        const { depth, tokens: inner } = token;
        const words = this.parser.parseInline(inner);
        const id = ids.get(token) ?? slugger.slug(plainText(inner));
        const label = `Link to “${escapeHtml(plainText(inner))}”`;
        return `<h${depth} id="${id}">${words} <a class="anchor" href="#${id}" aria-label="${label}">#</a></h${depth}>\n`;
      },
      link({ href, tokens: inner }) {
        const words = this.parser.parseInline(inner);
        const address = toAddress(href, name, names);
        return address === null ? words : `<a href="${escapeHtml(address)}">${words}</a>`;
      },
      code({ text: code }) {
        return `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>\n`;
      },
      table(token) {
        const words = (cell: Tokens.TableCell) => this.parser.parseInline(cell.tokens);
        const head = token.header.map((cell) => `<th scope="col">${words(cell)}</th>`).join("");
        const rows = token.rows.map(
          (cells) => `<tr>${cells.map((cell) => `<td>${words(cell)}</td>`).join("")}</tr>`,
        );
        return `<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>\n`;
      },
      html({ text: html }) {
        const [, picture = "", words = ""] = PICTURE.exec(html) ?? [];
        if (pictures.has(picture)) {
          const { width, height } = PICTURE_SIZE;
          return `<p><img src="/${pictureFile(picture)}" alt="${escapeHtml(words)}" width="${width}" height="${height}" loading="lazy"></p>\n`;
        }
        return html.startsWith("<!--") ? "" : html;
      },
    },
  });
  const content = tokens.filter((token) => token.type !== "heading" || token.depth > 1);
  const tops = tokens.filter((token) => token.type === "heading" && token.depth === 2);
  const page: GuidePage = {
    title,
    html: marked.parser(content),
    sections: tops.map((token) => ({
      id: ids.get(token) ?? "",
      title: plainText((token as Tokens.Heading).tokens),
    })),
  };
  return {
    page,
    search: sections.map(({ id, heading, texts }) => ({
      path: id === "" ? name : `${name}#${id}`,
      guide: title,
      heading,
      text: texts.join(" ").replaceAll(/\s+/g, " ").trim(),
    })),
  };
}

/** Names of the pictures that are there. */
export async function readPictures(folder: string = PICTURES_FOLDER): Promise<Set<string>> {
  const files = await readdir(folder).catch(() => []);
  return new Set(files.flatMap((file) => (file.endsWith(".jpg") ? [file.slice(0, -4)] : [])));
}

export function renderGuides(
  guides: ReadonlyMap<string, string>,
  pictures: ReadonlySet<string> = new Set(),
): Map<string, string> {
  const groups = readGroups(guides);
  const names = new Set(guides.keys());
  const rendered = [...guides].map(
    ([name, text]) => [name, renderGuide(name, text, names, pictures)] as const,
  );
  const search = rendered.flatMap(([name, guide]) => (name === GUIDE_LIST ? [] : guide.search));
  return new Map([
    [GUIDE_GROUPS_PATH, JSON.stringify(groups)],
    ["/docs/search.json", JSON.stringify(search)],
    ...rendered.map(([name, { page }]) => [guidePagePath(name), JSON.stringify(page)] as const),
    ...[...guides].map(([name, text]) => [guideTextPath(name), text] as const),
  ]);
}
