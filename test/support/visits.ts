import { env } from "cloudflare:workers";
import { shortAddressOf } from "../../src/doors/short-address.ts";
import { ClickLog } from "../../src/features/links/click-log.ts";
import { type RedirectDeps, redirect } from "../../src/features/links/redirect.ts";
import type { ClicksMessage } from "../../src/queue/messages.ts";
import type { Harness } from "./harness.ts";
import { queueTo } from "./queue.ts";

interface Visitor {
  method?: string;
  headers?: Record<string, string>;
  country?: string;
}

/** Visitors of short links, and the clicks that they leave. */
export class Visits {
  /** Messages that nobody has delivered yet. */
  readonly messages: ClicksMessage[] = [];
  /** The queue takes nothing. */
  isQueueDown = false;
  database: RedirectDeps["database"] = env.DB;
  private readonly harness: Harness;
  private readonly clickLog = new ClickLog();
  private readonly deferred: Promise<unknown>[] = [];
  private readonly windows: (() => void)[] = [];

  constructor(harness: Harness) {
    this.harness = harness;
  }

  async visit(url: string, { method, headers, country }: Visitor = {}): Promise<Response> {
    const { publicUrl, shortDomain } = this.harness.deps.config;
    const publicHost = new URL(publicUrl ?? "https://akimbo.test").host;
    const address = shortAddressOf(url, {
      publicHost,
      shortHost: shortDomain,
      isDevelopment: true,
    });
    if (!address) throw new Error(`${url} is no address of short links.`);
    const cf = country === undefined ? undefined : ({ country } as CfProperties);
    const request = new Request(url, { method, headers, cf, redirect: "manual" });
    return redirect(request, address, {
      config: this.harness.deps.config,
      database: this.database,
      clicks: {
        database: env.DB,
        queue: queueTo<ClicksMessage>((sent) => {
          if (this.isQueueDown) throw new Error("The queue is down.");
          // As the queue stores it.
          for (const { message } of sent) this.messages.push(JSON.parse(JSON.stringify(message)));
        }),
        wait: () => new Promise((resolve) => this.windows.push(resolve)),
        log: (entry) => this.harness.logs.push(entry),
      },
      clickLog: this.clickLog,
      waitUntil: (work) => this.deferred.push(work),
    });
  }

  /** Where a visitor is sent; the status where it is nowhere. */
  async follow(url: string, visitor: Visitor = {}): Promise<string | number> {
    const { status, headers } = await this.visit(url, visitor);
    return headers.get("location") ?? status;
  }

  /** Ends the windows in which clicks are gathered, and what goes on behind answers. */
  async settle(): Promise<void> {
    for (const end of this.windows.splice(0)) end();
    await Promise.all(this.deferred.splice(0));
  }

  /** Delivers every message, `times` times. */
  async deliver(times = 1): Promise<void> {
    await this.settle();
    const messages = this.messages.splice(0);
    for (let i = 0; i < times; i++) await this.harness.consume(messages, "akimbo-webhooks");
  }
}
