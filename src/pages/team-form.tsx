// hono/jsx uses Node's `AsyncLocalStorage` to separate pages that are rendered concurrently.
import "../core/node-process.ts";
import { type Child, createContext, useContext } from "hono/jsx";

/** The query parameter that names the page's team. */
export const FORM_TEAM = "team";

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
  children?: Child;
}

/** The address names the team, so that the form fails after the person has switched teams. */
export const TeamForm = ({ action, children, ...rest }: Form) => {
  const team = useContext(ShownTeam);
  if (team === null) throw new Error(`The form ${action} is not on a team's page.`);
  const sign = action.includes("?") ? "&" : "?";
  return (
    <form method="post" action={`${action}${sign}${FORM_TEAM}=${team}`} {...rest}>
      {children}
    </form>
  );
};
