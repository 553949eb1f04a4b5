import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { Browser, Page } from "playwright-core";
import type { Akimbo } from "../peers/akimbo.ts";
import { openContext } from "./context.ts";
import { tabTo } from "./keyboard.ts";
import { requireSound, type SignedIn, watchPolicy } from "./looks.ts";
import type { Site } from "./site.ts";
import { press, type Step, walk } from "./steps.ts";
import { tooWide, unreached } from "./wcag/measures.ts";

interface Visit {
  akimbo: Akimbo;
  owner: SignedIn;
  site: Site;
  /** For the screenshots. */
  folder: string;
}

const NAME = "Desk agent";
const VERIFIER = "v".repeat(43);
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

/** A program on this machine that waits for its person to come back. */
interface Program {
  /** Where its person decides. */
  address: string;
  /** What the person brought back, oldest first. */
  answers: URLSearchParams[];
  /** Exchanges the last code. */
  signIn(): Promise<string>;
  call(token: string, tool: string, args: object): Promise<Response>;
  close(): void;
}

/** @param onward where the program's own page sends its person */
async function startProgram(origin: string, onward: string): Promise<Program> {
  const answers: URLSearchParams[] = [];
  const server = createServer(({ url = "" }, response) => {
    const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
    if (pathname !== "/callback") return response.writeHead(404).end();
    answers.push(searchParams);
    return response.writeHead(302, { location: onward }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const registered = await fetch(`${origin}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: NAME,
      redirect_uris: ["http://127.0.0.1/callback"],
      token_endpoint_auth_method: "none",
    }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const redirect_uri = `http://127.0.0.1:${port}/callback`;
  const query = new URLSearchParams({
    ...{ response_type: "code", client_id, redirect_uri, state: "desk" },
    ...{ code_challenge: CHALLENGE, code_challenge_method: "S256", resource: `${origin}/mcp` },
  });
  return {
    address: `${origin}/authorize?${query}`,
    answers,
    signIn: async () => {
      const response = await fetch(`${origin}/token`, {
        method: "POST",
        body: new URLSearchParams({
          ...{ grant_type: "authorization_code", client_id, redirect_uri },
          ...{ code: answers.at(-1)?.get("code") ?? "", code_verifier: VERIFIER },
        }),
      });
      const answer = (await response.json()) as { access_token?: string };
      if (!answer.access_token) throw new Error(JSON.stringify(answer));
      return answer.access_token;
    },
    call: (token, name, args) =>
      fetch(`${origin}/mcp`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2025-11-25",
        },
        body: JSON.stringify({
          ...{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
        }),
      }),
    close: () => server.close(),
  };
}

/** What the program's own page shows in the end. */
const BACK = "The site of a customer";

/**
 * Allows a program, with and without script, by keys and by mouse, and refuses it. Each step that failed, in words.
 */
export async function checkPrograms(
  browser: Browser,
  { akimbo, owner, site, folder }: Visit,
): Promise<string[]> {
  const contexts = await Promise.all([
    openContext(browser, { storageState: owner }),
    openContext(browser, { storageState: owner, javaScriptEnabled: false }),
    openContext(browser),
  ]);
  const policy = contexts.slice(0, 2).map(watchPolicy);
  const [page, plain, visitor] = await Promise.all(contexts.map((context) => context.newPage()));
  if (!page || !plain || !visitor) throw new Error("No page could be opened.");
  const program = await startProgram(akimbo.origin, `${site.origin}/signed-in`);
  try {
    const problems = [
      ...(await walk(page, ofAPerson(page, program, { akimbo, folder }))),
      ...(await walk(plain, withoutScript(plain, program))),
      ...(await walk(page, ofATerminal(page, { akimbo, folder }))),
      ...(await walk(visitor, ofAVisitor(visitor, program))),
      ...(await framed(visitor, program, site)),
    ];
    return [...problems, ...policy.flat()];
  } finally {
    program.close();
    for (const context of contexts) await context.close();
  }
}

const requireAnswer = (program: Program, name: string, value: string | null): void => {
  const answer = program.answers.at(-1);
  if (answer?.get("state") !== "desk") throw new Error(`The program got ${answer}.`);
  if (value === null ? !answer.has(name) : answer.get(name) !== value) {
    throw new Error(`The program got ${answer} instead of ${name}.`);
  }
};

function ofAPerson(page: Page, program: Program, at: Pick<Visit, "akimbo" | "folder">): Step[] {
  const { origin } = at.akimbo;
  let token = "";
  return [
    {
      name: "the page says who asks for what",
      shows: "It has registered itself: nothing proves its name.",
      act: async () => {
        await page.goto(program.address);
        await requireSound(page, at.folder, "program");
        const faults = [...(await tooWide(page)), ...(await unreached(page))];
        if (faults.length > 0) throw new Error(`The page ${faults.join("; ")}`);
      },
    },
    {
      name: "nothing ticked is nothing allowed",
      shows: "Choose what the program may do, or refuse it.",
      act: async () => {
        await page.goto(program.address);
        for (const box of await page.getByRole("checkbox", { name: /^(Read|Write)/ }).all())
          await box.uncheck();
        await press(page, "Allow");
        await page.getByRole("alert").waitFor();
        await requireSound(page, at.folder, "program-nothing");
      },
    },
    {
      name: "allowed by keys alone, the program has its answer",
      shows: BACK,
      act: async () => {
        await page.goto(program.address);
        await tabTo(page, page.getByRole("button", { name: "Allow", exact: true }));
        await page.keyboard.press("Enter");
        await page.waitForURL(/signed-in$/);
        requireAnswer(program, "code", null);
        requireAnswer(program, "iss", origin);
        token = await program.signIn();
        const { status } = await program.call(token, "list_accounts", {});
        if (status !== 200) throw new Error(`A call is answered with ${status}.`);
      },
    },
    {
      name: "what it lacks is allowed on the page of tokens",
      shows: "Publish posts",
      act: async () => {
        const lacking = {};
        const refused = await program.call(token, "create_review_link", lacking);
        const challenge = refused.headers.get("www-authenticate") ?? "";
        if (refused.status !== 403 || !challenge.includes("insufficient_scope"))
          throw new Error(`A call without its scope is answered with ${refused.status}.`);
        await page.goto(`${origin}/app/tokens`);
        await requireSound(page, at.folder, "program-asks");
        await page
          .getByRole("button", { name: /^Allow/ })
          .first()
          .click();
        await page.waitForLoadState();
        const allowed = await program.call(token, "create_review_link", lacking);
        if (allowed.status !== 200) throw new Error(`It is still answered with ${allowed.status}.`);
      },
    },
    {
      name: "an ended program gets no answer",
      shows: "Tokens",
      act: async () => {
        await page.getByRole("link", { name: /^End/ }).first().click();
        await requireSound(page, at.folder, "program-end");
        await press(page, "End the program");
        await page.waitForLoadState();
        const { status } = await program.call(token, "list_accounts", {});
        if (status !== 401) throw new Error(`An ended program is answered with ${status}.`);
      },
    },
    {
      name: "an address that the program has not registered gets nothing",
      shows: "Nothing was sent to the program.",
      act: async () => {
        await page.goto(program.address.replace("callback", "elsewhere"));
        await requireSound(page, at.folder, "program-elsewhere");
      },
    },
  ];
}

const withoutScript = (page: Page, program: Program): Step[] => [
  {
    name: "refused without script, the program is told",
    shows: BACK,
    act: async () => {
      await page.goto(program.address);
      await press(page, "Refuse");
      await page.waitForURL(/signed-in$/);
      requireAnswer(program, "error", "access_denied");
    },
  },
  {
    name: "allowed without script",
    shows: BACK,
    act: async () => {
      await page.goto(program.address);
      await press(page, "Allow");
      await page.waitForURL(/signed-in$/);
      requireAnswer(program, "code", null);
    },
  },
];

interface DeviceRequest {
  device_code: string;
  user_code: string;
  verification_uri_complete: string;
}

const CLI = "akimbo-cli";

function ofATerminal(page: Page, { akimbo: { origin }, folder }: Pick<Visit, "akimbo" | "folder">) {
  const ask = async <T>(path: string, fields: Record<string, string>): Promise<T> => {
    const body = new URLSearchParams({ client_id: CLI, ...fields });
    return (await (await fetch(origin + path, { method: "POST", body })).json()) as T;
  };
  const poll = ({ device_code }: DeviceRequest) =>
    ask<{ access_token?: string; error?: string }>("/token", {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code,
    });
  let request: DeviceRequest;
  const steps: Step[] = [
    {
      name: "a terminal's code is compared first",
      shows: "Akimbo's command line shows a code.",
      act: async () => {
        request = await ask("/device_authorization", { scope: "posts:read posts:publish" });
        await page.goto(request.verification_uri_complete);
        await requireSound(page, folder, "device");
        const shown = await page.getByLabel("Code").inputValue();
        if (shown !== request.user_code) throw new Error(`The page shows ${shown}.`);
      },
    },
    {
      name: "then it is allowed",
      shows: "You can go back to the terminal",
      act: async () => {
        await press(page, "It is the one in my terminal");
        await page.getByText(request.user_code).waitFor();
        await requireSound(page, folder, "device-allow");
        await press(page, "Allow");
        await page.getByRole("heading", { name: "Allowed" }).waitFor();
        const { access_token: token } = await poll(request);
        const headers = { authorization: `Bearer ${token}` };
        const { status } = await fetch(`${origin}/api/v1/upload`, { headers });
        if (status !== 200) throw new Error(`A call of the terminal is answered with ${status}.`);
      },
    },
    {
      name: "an answered code is worth nothing",
      shows: "No terminal shows this code now",
      act: async () => {
        await page.goto(request.verification_uri_complete);
        await press(page, "It is the one in my terminal");
        await page.getByRole("alert").waitFor();
        await requireSound(page, folder, "device-unknown");
      },
    },
  ];
  return steps;
}

const ofAVisitor = (page: Page, program: Program): Step[] => [
  {
    name: "a visitor signs in first",
    shows: "Sign in",
    act: async () => {
      await page.goto(program.address);
      const { pathname, searchParams } = new URL(page.url());
      if (pathname !== "/sign-in" || !searchParams.get("next")?.startsWith("/authorize?request="))
        throw new Error(`The visitor is at ${page.url()}.`);
    },
  },
];

/** A page of another site must not show the decision within itself. */
async function framed(page: Page, program: Program, site: Site): Promise<string[]> {
  await page.goto(site.origin);
  await page.evaluate(
    `new Promise((done) => {
      const frame = document.createElement("iframe");
      frame.src = ${JSON.stringify(program.address)};
      frame.onload = done;
      document.body.append(frame);
    })`,
  );
  const shown = page.frames().find((frame) => frame !== page.mainFrame());
  const text = (await shown?.locator("body").innerText()) ?? "";
  return text.includes(NAME) ? ["Another site shows the consent page in a frame."] : [];
}
