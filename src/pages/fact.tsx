import type { Child } from "hono/jsx";

/** An entry of a list of facts, `dl`. */
export const Fact = ({ name, children }: { name: Child; children?: Child }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);
