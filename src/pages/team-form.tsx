// The library keeps the contexts of pages that are made at the same time apart by what it finds there.
import "../core/node-process.ts";
import { type Child, createContext, useContext } from "hono/jsx";

/** The query parameter in a form's address that names the team of its page. */
export const FORM_TEAM = "team";

/** The team that the page shows; null on a page of no team. */
export const ShownTeam = createContext<number | null>(null);

interface Form {
  action: string;
  class?: string;
  enctype?: "multipart/form-data";
  id?: string;
  hidden?: boolean;
  /** For a script of the page. */
  "data-key"?: string;
  children?: Child;
}

/**
 * A form of a team's page. Its address names the team, so that it changes no other where the person has gone
 * on to another team since.
 */
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
