import type { Browser } from "playwright-core";
import { createGradientPng } from "../../src/cli/png.ts";
import type { Akimbo } from "../peers/akimbo.ts";
import { openContext } from "./context.ts";
import { type SignedIn, watchOrigins, watchPolicy } from "./looks.ts";

interface Visit {
  akimbo: Akimbo;
  owner: SignedIn;
}

/** Runs where a page shows it as anything but text. */
const HOSTILE = `"'></title></script><script>ran=1</script><img src=x onerror="ran=1">`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="ran=1"><script>ran=1</script></svg>`;
/** The name of the team before and after. */
const TEAM = "Demo";
const HAS_RUN = "typeof globalThis.ran !== 'undefined'";

interface Made<T> {
  data: T;
}

/** Puts the hostile text wherever a caller may put a text. The addresses that show it. */
async function plant(akimbo: Akimbo): Promise<string[]> {
  const made = async <T>(method: string, path: string, body: object): Promise<T> => {
    const answer = await akimbo.call<Made<T>>(method, path, body);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  const account = { platform: "bluesky", sandbox: true, name: HOSTILE };
  const { id: accountId } = await made<{ id: string }>("POST", "/accounts", account);
  await made("PATCH", `/accounts/${accountId}`, { tags: ["<script>ran=1</script>"] });
  await made("PATCH", "/teams", { name: HOSTILE });
  await made("PATCH", "/settings", { branding: { name: HOSTILE } });
  const logo = await fetch(`${akimbo.origin}/api/v1/settings/logo`, {
    method: "PUT",
    headers: { "x-api-key": akimbo.token, "content-type": "image/svg+xml" },
    body: SVG,
  });
  const { data } = (await logo.json()) as Made<{ logoUrl: string }>;
  const picture = { width: 64, height: 48, from: [9, 9, 90], to: [250, 90, 90] } as const;
  const png = createGradientPng({ ...picture, from: [...picture.from], to: [...picture.to] });
  const post = async (status: string) => {
    const photo = new File([png], `${HOSTILE}.png`, { type: "image/png" });
    const fields = { accountId, title: HOSTILE, description: `${HOSTILE} ${status}`, status };
    const { status: answered, body } = await akimbo.post({ ...fields, photo: [photo] });
    if (answered !== 200) throw new Error(body.error);
    return body.data.uploadId;
  };
  const [draft, waiting] = [await post("pending_approval"), await post("pending_approval")];
  await made("POST", `/upload/${draft}/request-changes`, { comment: HOSTILE });
  const review = await made<{ url: string }>("POST", "/upload/review-links", {
    uploadIds: [waiting],
  });
  const connect = await made<{ inviteLink: string }>("POST", "/whitelabel/links", {
    ...{ platform: "x", mode: "sandbox", title: HOSTILE, description: HOSTILE },
  });
  const asked = await akimbo.call<{ authorizationUrl: string }>("POST", "/accounts", {
    ...{
      platform: "x",
      mode: "sandbox",
      redirectUrl: "https://example.com/<script>ran=1</script>",
    },
  });
  return [
    ...["/app", "/app/uploads", `/app/uploads/${draft}`, `/app/uploads/${waiting}`],
    ...["/app/accounts", `/app/accounts/${accountId}`, "/app/settings", "/app/reviews", "/sandbox"],
    ...["/app/team", "/app/me", "/app/connection-pages"],
    ...[review.url, connect.inviteLink, asked.body.authorizationUrl, data.logoUrl],
  ].map((address) => new URL(address, akimbo.origin).href);
}

/** Opens every page that shows texts and files of a hostile caller; each script that ran, in words. */
export async function checkHostile(browser: Browser, { akimbo, owner }: Visit): Promise<string[]> {
  const addresses = await plant(akimbo);
  const context = await openContext(browser, { storageState: owner });
  const problems = watchPolicy(context);
  const foreign = watchOrigins(context, akimbo.origin);
  const page = await context.newPage();
  page.on("dialog", (dialog) => {
    problems.push(`${page.url()}: a dialog was opened`);
    void dialog.dismiss();
  });
  for (const address of addresses) {
    const answer = await page.goto(address, { waitUntil: "load" });
    if (answer?.status() !== 200) problems.push(`${address} answers ${answer?.status()}`);
    if (await page.evaluate<boolean>(HAS_RUN)) problems.push(`${address}: a script has run`);
  }
  await context.close();
  await akimbo.call("PATCH", "/teams", { name: TEAM });
  return [...problems, ...[...foreign].map((origin) => `asked elsewhere: ${origin}`)];
}
