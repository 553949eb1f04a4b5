import { type Account, newId, type Script } from "../account.ts";
import { pageOf, type Route } from "../api.ts";
import { parseCron } from "../cron.ts";
import { Refusal } from "../refusal.ts";

/** @see https://developers.cloudflare.com/workers/platform/error-codes/100132/ */
const MAX_HOST_LABEL = 63;
const HOSTNAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$/;

const subdomainOf = ({ hasSubdomain, hasPreviews }: Script) => ({
  enabled: hasSubdomain,
  previews_enabled: hasPreviews,
});

/** @throws Refusal for a host name that cannot be the Worker's */
function checkHostname({ state }: Account, hostname: string, service: string): string {
  if (!hostname) throw new Refusal(100_111, "Missing hostname for custom domain.");
  if (!HOSTNAME.test(hostname)) {
    throw new Refusal(100_113, `Hostname ${hostname} is invalid. Use a DNS-compliant hostname.`);
  }
  const zone = state.zones.find(({ name }) => hostname === name || hostname.endsWith(`.${name}`));
  if (!zone) {
    throw new Refusal(100_112, `Hostname ${hostname} does not belong to a zone of your account.`);
  }
  const taken = state.domains.find((one) => one.hostname === hostname);
  if (taken && taken.service !== service) {
    throw new Refusal(
      100_116,
      `Hostname ${hostname} is already configured as a custom domain of ${taken.service}.`,
      409,
    );
  }
  return zone.id;
}

export const TRIGGER_ROUTES: Route[] = [
  [
    "GET /workers/subdomain",
    ({ account }) => {
      const { subdomain } = account.state;
      if (!subdomain) throw new Refusal(10_063, "A workers.dev subdomain is required.", 404);
      return { result: { subdomain } };
    },
  ],
  [
    "PUT /workers/subdomain",
    ({ account }, call) => {
      account.state.subdomain = call.json<{ subdomain: string }>().subdomain;
      return { result: { subdomain: account.state.subdomain } };
    },
  ],
  [
    "GET /workers/scripts/:/subdomain",
    ({ account }, { params: [name = ""] }) => ({ result: subdomainOf(account.script(name)) }),
  ],
  [
    "POST /workers/scripts/:/subdomain",
    ({ account }, call) => {
      const script = account.script(call.params[0] ?? "");
      const { enabled, previews_enabled } = call.json<{
        enabled: boolean;
        previews_enabled?: boolean;
      }>();
      if (enabled && script.name.length > MAX_HOST_LABEL) {
        throw new Refusal(
          100_132,
          "Worker name is too long to be used as a workers.dev subdomain.",
        );
      }
      script.hasSubdomain = enabled;
      script.hasPreviews = previews_enabled ?? script.hasPreviews;
      return { result: subdomainOf(script) };
    },
  ],
  [
    "GET /workers/scripts/:/schedules",
    ({ account }, { params: [name = ""] }) => ({
      result: { schedules: account.script(name).schedules.map((cron) => ({ cron })) },
    }),
  ],
  [
    "PUT /workers/scripts/:/schedules",
    ({ account }, call) => {
      const script = account.script(call.params[0] ?? "");
      const crons = call.json<{ cron: string }[]>().map(({ cron }) => cron);
      const invalid = crons.find((cron) => !parseCron(cron));
      if (invalid !== undefined) {
        throw new Refusal(10_022, `The cron expression "${invalid}" is not valid.`);
      }
      const others = account.state.scripts.filter((one) => one !== script);
      const count = others.flatMap(({ schedules }) => schedules).length + crons.length;
      if (count > account.limit("cronTriggers")) {
        throw new Refusal(
          10_072,
          `Cron trigger limit reached: your account allows ${account.limit("cronTriggers")} cron triggers.`,
          403,
        );
      }
      script.schedules = crons;
      return { result: { schedules: crons.map((cron) => ({ cron })) } };
    },
  ],
  [
    "POST /workers/scripts/:/domains/changeset",
    ({ account }, call) => {
      const [service = ""] = call.params;
      const hostnames = call.json<{ hostname: string }[]>().map(({ hostname }) => hostname);
      for (const hostname of hostnames) checkHostname(account, hostname, service);
      const own = account.state.domains.filter((one) => one.service === service);
      const isOwn = (name: string) => own.some(({ hostname }) => hostname === name);
      return {
        result: {
          added: hostnames.filter((name) => !isOwn(name)).map((hostname) => ({ hostname })),
          removed: own.filter(({ hostname }) => !hostnames.includes(hostname)),
          updated: [],
          conflicting: [],
        },
      };
    },
  ],
  [
    "PUT /workers/scripts/:/domains/records",
    ({ account }, call) => {
      const [service = ""] = call.params;
      account.script(service);
      const { origins } = call.json<{ origins: { hostname: string }[] }>();
      const made = origins.map(({ hostname }) => ({
        id: newId(),
        hostname,
        service,
        zone_id: checkHostname(account, hostname, service),
      }));
      const others = account.state.domains.filter((one) => one.service !== service);
      account.state.domains = [...others, ...made];
      return { result: made };
    },
  ],
  // Routes of zones are not played; a Worker has its own domains.
  ["GET /zones/:/workers/routes", () => ({ result: [] })],
  ["PUT /workers/scripts/:/routes", () => ({ result: [] })],
  ["GET /zones", ({ account }, { query }) => pageOf(account.state.zones, query, 20)],
];

/** Wrangler asks for these once something is forbidden. */
export const USER_ROUTES: Route[] = [
  ["GET /user/tokens/verify", () => ({ result: { id: "token", status: "active" } })],
  ["GET /user", () => ({ result: { id: "user", email: "owner@example.com" } })],
  ["GET /accounts", () => ({ result: [{ id: "acc", name: "Example" }] })],
  ["GET /memberships", () => ({ result: [] })],
];
