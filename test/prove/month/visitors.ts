import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../../src/cli/random.ts";
import { inTurn } from "./in-turn.ts";
import type { Service } from "./service.ts";
import type { Team } from "./teams.ts";

/** Of the links that are visited in a day, and the visits to each at most. */
const SHARE = 0.25;
const MAX_VISITS = 6;
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36";
const COUNTED_MS = 20_000;
const POLL_MS = 200;

/** People who follow short links. */
export class Visitors {
  /** When each visit was, in epoch ms of the service. */
  readonly visits: number[] = [];
  wrongAnswers = 0;
  private readonly teams: readonly Team[];
  private readonly random: Random;

  constructor(teams: readonly Team[], random: Random) {
    this.teams = teams;
    this.random = random;
  }

  async visit(service: Service): Promise<void> {
    const before = await clicksIn(service);
    const slugs = this.teams.flatMap(({ link }) =>
      this.random.chance(SHARE) ? Array(this.random.between(1, MAX_VISITS)).fill(link.slug) : [],
    );
    await inTurn(slugs, async (slug) => {
      if ((await follow(`${service.origin}/s/${slug}`)) === 302) this.visits.push(service.now);
      else this.wrongAnswers++;
    });
    // A kill would lose the clicks that wait in the local queue, which is in memory.
    const deadline = performance.now() + COUNTED_MS;
    while ((await clicksIn(service)) < before + slugs.length && performance.now() < deadline) {
      await sleep(POLL_MS);
    }
  }
}

/** Answers the status. */
function follow(url: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const request = get(url, { agent: false, headers: { "user-agent": BROWSER } }, (response) => {
    response.resume();
    resolve(response.statusCode);
  });
  request.on("error", reject);
  return promise;
}

export async function clicksIn(service: Service): Promise<number> {
  const [row] = await service.sql("SELECT coalesce(sum(clicks), 0) AS n FROM short_links");
  return Number(row?.n);
}
