import { type Context, Hono } from "hono";
import { AppError } from "../../core/errors.ts";
import { countUser, countVisitor } from "../../http/caller.ts";
import { readForm, refuseCrossSite, textField } from "../../http/pages.tsx";
import { renderPlainPage } from "../../pages/app-layout.tsx";
import { ShownTeam, TeamForm } from "../../pages/team-form.tsx";
import { accountsOfTeam } from "../accounts/repo.ts";
import { type PageEnv, rememberTeam, signedIn } from "../auth/signed-in.ts";
import { Consent, readConsent } from "./consent-form.tsx";
import {
  allowDevice,
  type DeviceRequest,
  denyDevice,
  findDeviceByUserCode,
  getDevice,
} from "./device.ts";
import { logStep } from "./log.ts";
import { ENDPOINTS } from "./metadata.ts";
import { readUserCode, showUserCode } from "./rules.ts";

export const DEVICE_PATH = ENDPOINTS.device;

type Page = Context<PageEnv>;

/** Where a person types the code that a device shows. */
export const devicePage = new Hono<PageEnv>();

devicePage.use(`${DEVICE_PATH}/*`, refuseCrossSite);

devicePage.get(DEVICE_PATH, signedIn("read:pages"), async (c) => {
  await c.var.ctx.read("*", []);
  return askForCode(c, c.req.query("user_code") ?? "");
});

devicePage.post(DEVICE_PATH, signedIn("write"), async (c) => {
  await countGuess(c);
  const text = textField(await readForm(c), "user_code");
  const request = await findDeviceByUserCode(c.var.deps, text);
  if (request) return showConsent(c, request);
  logStep(c.var.deps, { step: "authorize", outcome: "refused", reason: "user_code_unknown" });
  const notice =
    "No terminal shows this code now, or it was answered already. Compare it with your terminal, or start again there.";
  return askForCode(c, text, notice);
});

/** The request's hash cannot be guessed, so it is not counted as a guess. */
const requestOf = (c: Page): Promise<DeviceRequest> =>
  getDevice(c.var.deps, c.req.query("request") ?? "");

devicePage.post(`${DEVICE_PATH}/answer`, signedIn("write"), async (c) => {
  const { ctx, deps } = c.var;
  const form = await readForm(c);
  const request = await requestOf(c);
  const client = request.client.id;
  if (textField(form, "person") !== String(ctx.actor.userId)) {
    const notice = "Another person has signed in since this page was opened. Nothing was allowed.";
    return askForCode(c, request.userCode, notice);
  }
  if (textField(form, "decision") !== "allow") {
    await denyDevice(deps, request);
    logStep(deps, { step: "consent", outcome: "refused", reason: "denied_by_person", client });
    return showEnd(c, "Refused", "Nothing was allowed. You can close this page.");
  }
  try {
    await allowDevice(ctx, request, readConsent(form));
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error;
    return showConsent(c, request, { notice: error.message, sent: form });
  }
  logStep(deps, { step: "consent", outcome: "done", client });
  return showEnd(c, "Allowed", "You can go back to the terminal, and close this page.");
});

devicePage.post(`${DEVICE_PATH}/workspace`, signedIn("write", { isPersonal: true }), async (c) => {
  const { person } = c.var.ctx;
  const form = await readForm(c);
  const team = person.teams.find(({ id }) => String(id) === textField(form, "workspace"));
  if (!team) throw new AppError("FORBIDDEN", "You do not belong to that team.");
  rememberTeam(c, team.id);
  const code = readUserCode(c.req.query("user_code") ?? "") ?? "";
  return c.redirect(`${DEVICE_PATH}?user_code=${code}`, 303);
});

/** @throws AppError RATE_LIMIT */
async function countGuess(c: Page): Promise<void> {
  try {
    await countVisitor(c, "device-code-address");
    await countUser(c, c.var.ctx.actor.userId, "device-code");
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "RATE_LIMIT") throw error;
    logStep(c.var.deps, { step: "authorize", outcome: "refused", reason: "too_many_guesses" });
    throw new AppError(
      "RATE_LIMIT",
      "You have tried too many codes. Wait 15 minutes, then start again in the terminal.",
      { headers: error.headers },
    );
  }
}

interface Notice {
  notice?: string;
}

function askForCode(c: Page, text: string, notice?: string): Promise<Response> {
  const code = readUserCode(text);
  return renderPlainPage(
    c,
    { title: "Sign in a terminal", status: notice === undefined ? 200 : 400 },
    <ShownTeam.Provider value={c.var.ctx.actor.teamId}>
      <h1>Sign in a terminal</h1>
      {notice !== undefined && (
        <p class="notice bad" role="alert">
          {notice}
        </p>
      )}
      <p>
        Akimbo's command line shows a code. Go on only if you started this yourself, and the code
        here is the one in your terminal. A code that another person has sent to you would let them
        act for you.
      </p>
      <TeamForm class="card fields" action={DEVICE_PATH}>
        <label>
          Code
          <input
            name="user_code"
            value={code === null ? text.slice(0, 20) : showUserCode(code)}
            required
            maxlength={20}
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            placeholder="WDJB-MJHT"
          />
        </label>
        <div class="row">
          <button type="submit">It is the one in my terminal</button>
        </div>
      </TeamForm>
    </ShownTeam.Provider>,
  );
}

async function showConsent(
  c: Page,
  request: DeviceRequest,
  { notice, sent = null }: Notice & { sent?: FormData | null } = {},
): Promise<Response> {
  const { ctx, deps } = c.var;
  const [accounts] = await ctx.read("*", [accountsOfTeam(ctx.team, { status: "active" })]);
  logStep(deps, { step: "authorize", outcome: "shown", client: request.client.id });
  return renderPlainPage(
    c,
    { title: `Allow ${request.client.name}?`, status: notice === undefined ? 200 : 400 },
    <ShownTeam.Provider value={ctx.actor.teamId}>
      <Consent
        {...{ ctx, request, accounts, notice, sent }}
        action={`${DEVICE_PATH}/answer?request=${request.hash}`}
        workspaceAction={`${DEVICE_PATH}/workspace?user_code=${request.userCode}`}
      >
        <p class="muted">
          The answer goes to the terminal that shows{" "}
          <strong>{showUserCode(request.userCode)}</strong>. Allow it only if you have just started
          this there yourself.
        </p>
      </Consent>
    </ShownTeam.Provider>,
  );
}

const showEnd = (c: Page, title: string, text: string): Promise<Response> =>
  renderPlainPage(
    c,
    { title },
    <>
      <h1>{title}</h1>
      <p>{text}</p>
    </>,
  );
