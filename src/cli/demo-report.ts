import { formatTable } from "./table.ts";

export interface Progress {
  account: string;
  what: string;
  status: string;
  url: string | null;
  /** Reason of a final failure. */
  error: string | null;
}

export const isDone = ({ status, error }: Progress): boolean =>
  status === "completed" || error !== null;

export function formatReport(posts: Progress[], seconds: number): string {
  const completed = posts.filter(({ status }) => status === "completed").length;
  const lines = [
    formatTable(
      ["Account", "Kind", "Status", "URL"],
      posts.map(({ account, what, status, url }) => [account, what, status, url ?? "–"]),
    ),
    "",
    ...posts
      .filter(({ error }) => error !== null)
      .map(({ account, what, error }) => `✗ ${account}, ${what}: ${error}`),
    `${completed} of ${posts.length} published in ${seconds.toFixed(1)} s.`,
  ];
  return lines.join("\n");
}

export function createProgressView(posts: Progress[], out: NodeJS.WriteStream): () => void {
  const shown = new Map<Progress, string>();
  let drawnLines = 0;
  const describe = ({ account, what, status }: Progress) => `  ${account}, ${what}: ${status}`;
  return () => {
    if (out.isTTY) {
      const up = drawnLines > 0 ? `\x1b[${drawnLines}A` : "";
      out.write(up + posts.map((post) => `\x1b[2K${describe(post)}\n`).join(""));
      drawnLines = posts.length;
      return;
    }
    for (const post of posts) {
      if (shown.get(post) !== post.status) out.write(`${describe(post)}\n`);
      shown.set(post, post.status);
    }
  };
}
