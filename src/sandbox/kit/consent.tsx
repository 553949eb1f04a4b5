import type { Platform } from "../../core/platforms.ts";
import { renderPage } from "../../pages/layout.tsx";
import { issueCode } from "./codes.ts";
import { readForm } from "./input.ts";
import { Refusal } from "./refusal.ts";
import type { Call } from "./simulator.ts";

export interface ConsentRequest {
  clientId: string;
  redirectUri: string;
  state: string | null;
  scopes: string[];
  challenge: string | null;
  note?: string | null;
  name?: string | null;
}

interface ConsentRules {
  platform: Platform;
  name: string;
  codeSeconds: number;
  hint: string;
  fixed?: readonly string[];
  /** @throws Refusal for faulty parameters */
  readConsentRequest(call: Call): ConsentRequest | Promise<ConsentRequest>;
  /** Callback parameters besides `code` and `state`. */
  extra?(request: ConsentRequest, granted: string[]): Record<string, string>;
  /** Callback parameters besides `state`, after a refusal. */
  declined: Record<string, string>;
  suffix?: string;
}

const STYLES = `
fieldset { border: 1px solid var(--line); border-radius: .6rem; margin: 0; padding: .6rem .9rem; }
form > * + * { margin-top: 1rem; }
label { display: block; padding: .2rem 0; overflow-wrap: anywhere; }
label:has(> [type="checkbox"]) { display: flex; gap: .5rem; align-items: baseline; }
input[type="text"] { font: inherit; width: 100%; padding: .5rem .6rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--card); color: inherit; }
.row { display: flex; flex-wrap: wrap; gap: .7rem; }
button { font: inherit; font-weight: 600; padding: .55rem 1.1rem; border-radius: .6rem; border: 1px solid var(--accent); background: var(--accent); color: var(--accent-ink); cursor: pointer; }
button.quiet { background: none; color: var(--accent); }
`;

const MAX_NAME = 100;

/** Has the percent-encoded name of a reconnected account. */
export const NAME_HEADER = "sandbox-account-name";

const suggestedName = ({ req }: Call): string | null => {
  const name = req.header(NAME_HEADER);
  return name ? decodeURIComponent(name) : null;
};

export function createConsent(rules: ConsentRules) {
  const { platform, name, codeSeconds, hint, fixed = [], declined, suffix = "" } = rules;

  const back = (request: ConsentRequest, params: Record<string, string>): Response => {
    const url = new URL(request.redirectUri);
    for (const [key, value] of Object.entries(params)) url.searchParams.set(key, value);
    if (request.state !== null) url.searchParams.set("state", request.state);
    return new Response(null, { status: 302, headers: { location: url.href + suffix } });
  };

  return {
    async show(call: Call): Promise<Response> {
      const { scopes, name: account } = await rules.readConsentRequest(call);
      return renderPage(
        call,
        {
          title: `${name}, simulated`,
          styles: STYLES,
          hasForms: true,
          formTargets: "https: http:",
        },
        <>
          <h1>Connect to {name}</h1>
          <p class="lead">
            This is the sandbox's imitation of {name}'s own page. Nothing here reaches {name}.
          </p>
          <form class="card" method="post">
            <label for="name">Sign in as an account of this name</label>
            <input
              id="name"
              name="name"
              type="text"
              required
              maxlength={MAX_NAME}
              value={suggestedName(call) ?? account ?? `Sandbox ${name}`}
              autocomplete="off"
            />
            <fieldset>
              <legend>The app asks for</legend>
              {scopes.map((scope) => (
                <label>
                  <input
                    type="checkbox"
                    name="scope"
                    value={scope}
                    checked
                    disabled={fixed.includes(scope)}
                  />{" "}
                  {scope}
                </label>
              ))}
            </fieldset>
            <p class="lead">{hint}</p>
            <p class="row">
              <button type="submit" name="decision" value="allow">
                Allow
              </button>
              <button class="quiet" type="submit" name="decision" value="refuse" formnovalidate>
                Refuse
              </button>
            </p>
          </form>
        </>,
      );
    },

    async answer(call: Call): Promise<Response> {
      const request = await rules.readConsentRequest(call);
      const form = await readForm(call);
      if (form?.get("decision") !== "allow") return back(request, declined);
      const ticked = form.getAll("scope");
      const granted = request.scopes.filter(
        (scope) => fixed.includes(scope) || ticked.includes(scope),
      );
      const account = form.get("name")?.trim().slice(0, MAX_NAME) || `Sandbox ${name}`;
      const code = issueCode(
        call,
        platform,
        {
          client_id: request.clientId,
          name: account,
          scopes: granted,
          redirect_uri: request.redirectUri,
          challenge: request.challenge,
          note: request.note ?? null,
        },
        codeSeconds,
      );
      return back(request, { code, ...rules.extra?.(request, granted) });
    },
  };
}

interface ConsentParameters {
  client?: string;
  separator: string | RegExp;
  scopes: readonly string[];
  pkce?: "required" | "optional";
  refuse(message: string): Refusal;
}

/** @throws Refusal for faulty parameters */
export function readConsentRequest(
  { req }: Call,
  { client = "client_id", separator, scopes: allowed, pkce, refuse }: ConsentParameters,
): ConsentRequest {
  const query = req.query();
  const need = (name: string): string => {
    const value = query[name];
    if (!value) throw refuse(`The parameter ${name} is missing.`);
    return value;
  };
  const clientId = need(client);
  const redirectUri = need("redirect_uri");
  if (!URL.canParse(redirectUri)) throw refuse("The parameter redirect_uri is not a URL.");
  if (need("response_type") !== "code") throw refuse("The parameter response_type must be code.");
  const scopes = need("scope").split(separator).filter(Boolean);
  const unknown = scopes.find((scope) => !allowed.includes(scope));
  if (unknown !== undefined) throw refuse(`The scope ${unknown} is not known.`);
  const challenge = query.code_challenge ?? null;
  if (pkce === "required" && challenge === null) {
    throw refuse("The parameter code_challenge is missing.");
  }
  if (challenge !== null && query.code_challenge_method !== "S256") {
    throw refuse("The parameter code_challenge_method must be S256.");
  }
  return {
    clientId,
    redirectUri,
    state: query.state ?? null,
    scopes,
    challenge: pkce ? challenge : null,
  };
}

export const refusalPage = (status: number, message: string): Refusal =>
  new Refusal(status, { error: message });
