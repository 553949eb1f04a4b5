import type { Platform } from "../../core/platforms.ts";
import { renderPage } from "../../pages/layout.tsx";
import { issueCode } from "./codes.ts";
import { readForm } from "./input.ts";
import { Refusal } from "./refusal.ts";
import type { Call } from "./simulator.ts";

/** Permissions that an app asks a person for. */
export interface Asked {
  clientId: string;
  redirectUri: string;
  state: string | null;
  scopes: string[];
  /** The S256 challenge of PKCE; null without. */
  challenge: string | null;
  /** Facts that the platform remembers with the code; absent for none. */
  note?: string | null;
  /** The account that the sign-in begins with, where the app named one. */
  name?: string | null;
}

/** A platform's consent page, as far as it differs from the others'. */
interface ConsentRules {
  platform: Platform;
  /** Its name as people know it. */
  name: string;
  /** How long a code lives. */
  codeSeconds: number;
  /** Follows the list of permissions: whether the platform itself lets people leave some out. */
  hint: string;
  /** Scopes that cannot be left out. */
  fixed?: readonly string[];
  /** Reads what is asked for, from the address. @throws Refusal in the platform's words */
  readAsked(call: Call): Asked | Promise<Asked>;
  /** The parameters of the callback, beyond `code` and `state`. */
  extra?(asked: Asked, granted: string[]): Record<string, string>;
  /** The parameters of the callback of a person who said no, beyond `state`. */
  declined: Record<string, string>;
  /** Follows the whole address of the callback, such as `#_=_`. */
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

/** Characters of an account's name. */
const MAX_NAME = 100;

/** Carries the name of the account that is connected again, percent-encoded. */
export const NAME_HEADER = "sandbox-account-name";

/** The name that the page begins with, where the person's way there named one. */
const suggestedName = ({ req }: Call): string | null => {
  const name = req.header(NAME_HEADER);
  return name ? decodeURIComponent(name) : null;
};

/** Creates the two answers of a consent page: the page, and the way back from it. */
export function createConsent(rules: ConsentRules) {
  const { platform, name, codeSeconds, hint, fixed = [], declined, suffix = "" } = rules;

  const back = (asked: Asked, params: Record<string, string>): Response => {
    const url = new URL(asked.redirectUri);
    for (const [key, value] of Object.entries(params)) url.searchParams.set(key, value);
    if (asked.state !== null) url.searchParams.set("state", asked.state);
    return new Response(null, { status: 302, headers: { location: url.href + suffix } });
  };

  return {
    async show(call: Call): Promise<Response> {
      const { scopes, name: account } = await rules.readAsked(call);
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
      const asked = await rules.readAsked(call);
      const form = await readForm(call);
      if (form?.get("decision") !== "allow") return back(asked, declined);
      const ticked = form.getAll("scope");
      const granted = asked.scopes.filter(
        (scope) => fixed.includes(scope) || ticked.includes(scope),
      );
      const account = form.get("name")?.trim().slice(0, MAX_NAME) || `Sandbox ${name}`;
      const code = issueCode(
        call,
        platform,
        {
          client_id: asked.clientId,
          name: account,
          scopes: granted,
          redirect_uri: asked.redirectUri,
          challenge: asked.challenge,
          note: asked.note ?? null,
        },
        codeSeconds,
      );
      return back(asked, { code, ...rules.extra?.(asked, granted) });
    },
  };
}

/** The parameters that nearly all consent pages have, each of which is wanted. */
interface AskedNames {
  /** The parameter with the app's id. */
  client?: string;
  /** Between scopes. */
  separator: string | RegExp;
  /** Scopes that there are. */
  known: readonly string[];
  /** `required`: nobody is asked without an S256 challenge. */
  pkce?: "required" | "optional";
  /** Makes the platform's refusal of an address. */
  refuse(message: string): Refusal;
}

/** Reads what is asked for from the usual parameters. @throws Refusal */
export function readAsked(
  { req }: Call,
  { client = "client_id", separator, known, pkce, refuse }: AskedNames,
): Asked {
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
  const unknown = scopes.find((scope) => !known.includes(scope));
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

/** A refusal that a browser shows as it is. */
export const refusalPage = (status: number, message: string): Refusal =>
  new Refusal(status, { error: message });
