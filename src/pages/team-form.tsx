// hono/jsx uses Node's `AsyncLocalStorage` to separate pages that are rendered concurrently.
import "../core/node-process.ts";
import { type Child, createContext, useContext } from "hono/jsx";
import { randomHex } from "../core/ids.ts";

/** The query parameter that names the page's team. */
export const FORM_TEAM = "team";

/** The query parameter by which a form that is sent twice is known. */
export const FORM_KEY = "key";

/** Null on a page without a team. */
export const ShownTeam = createContext<number | null>(null);

interface Form {
  action: string;
  class?: string;
  enctype?: "multipart/form-data";
  id?: string;
  hidden?: boolean;
  /** For scripts of the page. */
  "data-key"?: string;
  /** Each press would make something, so the address has a key. */
  makes?: boolean;
  children?: Child;
}

/** The address names the team, so that the form fails after the person has switched teams. */
export const TeamForm = ({ action, makes = false, children, ...rest }: Form) => {
  const team = useContext(ShownTeam);
  if (team === null) throw new Error(`The form ${action} is not on a team's page.`);
  const sign = action.includes("?") ? "&" : "?";
  const key = makes ? `&${FORM_KEY}=${randomHex(16)}` : "";
  return (
    <form method="post" action={`${action}${sign}${FORM_TEAM}=${team}${key}`} {...rest}>
      {children}
    </form>
  );
};
