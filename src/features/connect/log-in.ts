import { AppError, invalidFields } from "../../core/errors.ts";
import { randomHex } from "../../core/ids.ts";
import type { OtherApp, Platform } from "../../core/platforms.ts";
import { type Result, refuse } from "../../core/result.ts";
import { refusedUrl } from "../../core/url-policy.ts";
import type { Ctx } from "../../deps.ts";
import type { Connector, Fetch } from "../../platforms/connector.ts";
import type {
  AppKeys,
  Connected,
  LoginForm,
  LoginRefusal,
  LoginValues,
} from "../../platforms/login.ts";
import { sandboxCredentials } from "../../sandbox/kit/login.ts";
import type { AccountMode } from "../accounts/table.ts";
import { appKeysOf, platformFetch, withTimeout } from "../logins/platform-access.ts";
import { loginsInWords } from "./apps.ts";
import type { NewAccount } from "./schema.ts";

export async function logIn(
  ctx: Ctx,
  connector: Connector,
  input: NewAccount,
  mode: AccountMode,
  other: OtherApp | null,
): Promise<Result<Connected, LoginRefusal>> {
  const { teamId } = ctx.actor;
  const { platform } = input;
  const network = withTimeout(platformFetch(ctx, { mode, platform, teamId, id: null }));
  const { fetch, isAbsent } = watched(network);
  const app = appKeysOf(ctx, { mode, platform, app: other });
  const { adopt = connector.identify } = connector;
  if ("sandbox" in input) {
    if (!ctx.config.sandboxEnabled) {
      throw invalidFields([
        { field: "sandbox", message: "The sandbox is switched off on this instance." },
      ]);
    }
    const accountName = input.name ?? `Sandbox ${input.platform}`;
    const { simulatedOf } = await import("../../sandbox/registry.ts");
    const simulated = simulatedOf(platform);
    const login = await simulated?.login?.(accountName);
    const form = login && connector.logins?.find((one) => isFilledIn(one, login));
    const asking =
      form && login
        ? form.connect(fetch, login)
        : adopt(
            fetch,
            sandboxCredentials(platform, accountName, randomHex(8)),
            {
              service: simulated?.service ?? null,
              pageId: input.pageId?.trim() ?? null,
              app: other,
            },
            app,
          );
    const connected = await answerOf(platform, asking);
    if (connected.ok) connected.value.profile.accountName = accountName;
    return connected;
  }
  refuseAddresses(ctx, connector, "login" in input ? input.login : input);
  const answer = await answerOf(platform, ask(connector, fetch, input, { app, other }));
  const connected = requireProof(answer, ctx.config);
  if (!connected.ok && !connected.error.final && isAbsent()) {
    throw absent(platform, connected.error.message);
  }
  return connected;
}

const answerOf = <T>(platform: Platform, asking: Promise<T>): Promise<T> =>
  asking.catch((error: unknown) => {
    if (error instanceof AppError) throw error;
    throw absent(platform, "no connection");
  });

/** Refuses an account id that only its own server confirms, except in development. */
const requireProof = (
  connected: Result<Connected, LoginRefusal>,
  { isDevelopment }: { isDevelopment: boolean },
): Result<Connected, LoginRefusal> =>
  connected.ok && connected.value.unproven && !isDevelopment
    ? refuse(connected.value.unproven)
    : connected;

async function ask(
  connector: Connector,
  fetch: Fetch,
  input: Exclude<NewAccount, { sandbox: true }>,
  { app, other }: { app: AppKeys | null; other: OtherApp | null },
): Promise<Result<Connected, LoginRefusal>> {
  if ("credentials" in input) {
    const { accessToken, refreshToken, expiresAt } = input.credentials;
    const { adopt = connector.identify } = connector;
    return adopt(
      fetch,
      { accessToken, refreshToken: refreshToken ?? null, expiresAt: expiresAt ?? null },
      { service: input.service ?? null, pageId: input.pageId?.trim() ?? null, app: other },
      app,
    );
  }
  const form = connector.logins?.find((one) => isFilledIn(one, input.login));
  if (!form) throw invalidFields([cannotLogIn(connector)]);
  return form.connect(fetch, input.login);
}

const isFilledIn = ({ fields }: LoginForm, values: LoginValues): boolean =>
  Object.keys(values).every((name) => fields.some((field) => field.name === name)) &&
  fields.every(({ name, isOptional }) => isOptional || values[name] !== undefined);

/** Spec is silent: enough for a platform's restart. */
const TRY_AGAIN_SECONDS = 60;

const absent = (platform: Platform, why: string) =>
  new AppError(
    "UNAVAILABLE",
    `${platform} could not be reached (${why.replace(/\.$/, "")}). Try again later.`,
    { headers: { "Retry-After": String(TRY_AGAIN_SECONDS) } },
  );

/** `isAbsent`: the last call failed, was throttled or met a server error. */
function watched(network: Fetch): { fetch: Fetch; isAbsent(): boolean } {
  let isAbsent = false;
  return {
    fetch: async (input, init) => {
      isAbsent = true;
      const reply = await network(input, init);
      isAbsent = reply.status >= 500 || reply.status === 429 || reply.status === 408;
      return reply;
    },
    isAbsent: () => isAbsent,
  };
}

const cannotLogIn = (connector: Connector) => ({
  field: "platform",
  message: `${connector.platform} has no login by these fields. Send ${loginsInWords(connector)}.`,
});

/** Servers that a caller names must be public. */
function refuseAddresses(ctx: Ctx, { logins = [] }: Connector, input: object): void {
  const own = logins.flatMap(({ fields }) => fields.filter(({ isAddress }) => isAddress));
  for (const field of new Set(["service", ...own.map(({ name }) => name)])) {
    const url = Object.entries(input).find(([name]) => name === field)?.[1];
    if (typeof url !== "string") continue;
    const reason = refusedUrl(url, { allowLoopback: ctx.config.isDevelopment });
    if (reason) throw invalidFields([{ field, message: `${field} ${reason}.` }]);
  }
}
