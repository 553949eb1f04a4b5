import { expect } from "vitest";
import { type Answer, form } from "./harness.ts";
import { type Life, later } from "./life.ts";
import { Browser } from "./person.ts";
import { decisionFields } from "./review-page.ts";

/** Somebody of the team, at whatever door. */
export interface Visitor {
  life: Life;
  /** Calls the API with their token. */
  call(method: string, path: string, sent?: { json?: unknown; body?: BodyInit }): Promise<Answer>;
  /** Calls a tool of the agent endpoint with it; the tool's result. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the result holds
  callTool(name: string, args: Record<string, unknown>): Promise<any>;
  /** Where they are signed in. */
  browser: Browser;
  /** Makes each post another one. */
  words: string;
}

/** A way in which a post comes, or is brought back, to where it is published. */
export interface Door {
  name: string;
  /** Who gets a post through it: whoever may publish, or only those who may approve. */
  asks: "publish" | "approve";
  /** The door is a page: whoever is signed in holds every scope. */
  isPage?: true;
  /** Does all that the visitor can; answers the post. */
  enter(visitor: Visitor): Promise<number>;
}

const HOUR = 3_600;
const inAnHour = () => later(HOUR).toISOString();

const create =
  (fields: () => Record<string, string>): Door["enter"] =>
  async ({ life, call, words }) => {
    const body = form({ accountId: life.accountId, description: words, ...fields() });
    const answer = await call("POST", "/upload", { body });
    expect(answer.status).toBe(200);
    return answer.body.data.uploadId;
  };

const bulk: Door["enter"] = async ({ life, call, words }) => {
  const body = form({ accounts: JSON.stringify([life.accountId]), description: words });
  const { body: answer } = await call("POST", "/upload/bulk", { body });
  return answer.results[0].uploadId;
};

const createByAgent =
  (args: () => Record<string, unknown>): Door["enter"] =>
  async ({ life, callTool, words }) => {
    const post = { accountIds: [life.accountId], text: words, ...args() };
    const { structuredContent } = await callTool("create_post", post);
    return structuredContent.posts[0].postId;
  };

/** Has a client approve the post by a link, where the agent may make one. */
async function approveByLink({ life, callTool }: Visitor, id: number): Promise<void> {
  const made = await callTool("create_review_link", { postIds: [id] });
  if (made.isError) return;
  const client = new Browser(life.harness);
  const path = new URL(made.structuredContent.url).pathname;
  const page = await client.get(path);
  expect((await client.post(path, decisionFields(page, "approve", id))).status).toBe(303);
}

const planned = () => ({ status: "scheduled", scheduled_for: later(HOUR).getTime() });

const edit =
  (
    columns: () => Record<string, string | number>,
    json: (words: string) => object,
  ): Door["enter"] =>
  async ({ life, call, words }) => {
    const id = await life.insert(columns());
    expect((await call("PATCH", `/upload/${id}`, { json: json(words) })).status).toBe(200);
    return id;
  };

const retry = async (visitor: Visitor, id: number): Promise<number> => {
  expect((await visitor.call("POST", `/upload/${id}/retry`)).status).toBe(200);
  return id;
};

/**
 * Every door through which a post can come to be published. One that is added to the service is added here: the
 * matrix then tries it as everybody. Source: reliability, "Approval bypass".
 */
export const DOORS: Door[] = [
  { name: "POST /upload", asks: "publish", enter: create(() => ({})) },
  {
    name: "POST /upload with a date, and its minute comes",
    asks: "publish",
    enter: create(() => ({ schedule_date: inAnHour() })),
  },
  {
    name: "POST /upload as a draft, submitted",
    asks: "approve",
    enter: async (visitor) => {
      const id = await create(() => ({ status: "draft" }))(visitor);
      expect((await visitor.call("POST", `/upload/${id}/submit`)).status).toBe(200);
      await visitor.call("POST", `/upload/${id}/approve`);
      return id;
    },
  },
  {
    name: "POST /upload for approval, with a date that passes, then POST approve",
    asks: "approve",
    enter: async (visitor) => {
      const id = await create(() => ({ status: "pending_approval", schedule_date: inAnHour() }))(
        visitor,
      );
      visitor.life.harness.advance(2 * HOUR);
      await visitor.call("POST", `/upload/${id}/approve`);
      return id;
    },
  },
  { name: "POST /upload/bulk", asks: "publish", enter: bulk },
  {
    name: "PATCH of the text of a scheduled post",
    asks: "approve",
    enter: edit(planned, (description) => ({ description })),
  },
  {
    name: "PATCH of the date of a scheduled post",
    asks: "approve",
    enter: edit(planned, () => ({ scheduledFor: later(60).toISOString() })),
  },
  {
    name: "PATCH of the text of a post in the queue",
    asks: "approve",
    enter: edit(
      () => ({ status: "pending" }),
      (description) => ({ description }),
    ),
  },
  {
    name: "PATCH of the date of a post that awaits approval, then its minute",
    asks: "approve",
    enter: async (visitor) => {
      const columns = () => ({ status: "pending_approval", description: visitor.words });
      const dated = edit(columns, () => ({ scheduledFor: inAnHour() }));
      const id = await dated(visitor);
      await visitor.call("PATCH", `/upload/${id}`, { json: { status: "pending" } });
      await visitor.call("POST", `/upload/${id}/approve`);
      return id;
    },
  },
  {
    name: "POST /upload/{id}/retry",
    asks: "publish",
    enter: async (visitor) => retry(visitor, await visitor.life.insert({ status: "failed" })),
  },
  {
    name: "POST /upload/{id}/retry of a post that was edited after it failed",
    asks: "approve",
    enter: async (visitor) => {
      const failed = edit(
        () => ({ status: "failed" }),
        (description) => ({ description }),
      );
      return retry(visitor, await failed(visitor));
    },
  },
  {
    name: "POST /upload/retry-failed",
    asks: "publish",
    enter: async ({ life, call }) => {
      const id = await life.insert({ status: "failed" });
      expect((await call("POST", "/upload/retry-failed")).body.data.retried).toEqual([id]);
      return id;
    },
  },
  { name: "POST /mcp create_post", asks: "publish", enter: createByAgent(() => ({})) },
  {
    name: "POST /mcp create_post with a date, and its minute comes",
    asks: "publish",
    enter: createByAgent(() => ({ scheduleDate: inAnHour() })),
  },
  {
    name: "POST /mcp create_post for approval, with a date that passes, then create_review_link",
    asks: "approve",
    enter: async (visitor) => {
      const args = () => ({ status: "pending_approval", scheduleDate: inAnHour() });
      const id = await createByAgent(args)(visitor);
      visitor.life.harness.advance(2 * HOUR);
      await approveByLink(visitor, id);
      return id;
    },
  },
  {
    name: "the page's retry",
    asks: "publish",
    isPage: true,
    enter: async ({ life, browser }) => {
      const id = await life.insert({ status: "failed" });
      expect((await browser.post(`/app/uploads/${id}/retry`)).status).toBe(303);
      return id;
    },
  },
  {
    name: "the page's submit and approve",
    asks: "approve",
    isPage: true,
    enter: async ({ life, browser, words }) => {
      const id = await life.insert({ status: "draft", description: words });
      expect((await browser.post(`/app/uploads/${id}/submit`)).status).toBe(303);
      await browser.post(`/app/uploads/${id}/approve`);
      return id;
    },
  },
];
