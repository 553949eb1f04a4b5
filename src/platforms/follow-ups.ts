import type { Connector } from "./connector.ts";
import type { PartKind } from "./part-kinds.ts";

type Steps<S> = Pick<Connector<S>, "prepare" | "submit" | "settle" | "reconcile">;

export function stepsOf<S>(connector: Connector<S>, kind: PartKind | null): Steps<S> {
  return kind === "comment" ? (connector.followUps?.comment ?? connector) : connector;
}
