import type { Deps } from "../../deps.ts";
import { removeHostname } from "./edge.ts";
import * as repo from "./repo.ts";

/** Removes a deleted domain from the edge; what fails is left to the tick. */
export async function leaveEdge(
  deps: Pick<Deps, "config" | "fetch" | "log" | "db">,
  row: Pick<repo.DomainRow, "id" | "host" | "edgeHostnameId">,
): Promise<void> {
  const { id, edgeHostnameId } = row;
  try {
    if (edgeHostnameId !== null && deps.config.edge) {
      const [[heir]] = await deps.db.run([repo.servedBy(row)]);
      if (!heir) await removeHostname(deps, edgeHostnameId);
    }
    await deps.db.run([repo.removeDomain(id)]);
  } catch (error) {
    deps.log({ event: "domain.not_removed", domainId: id, error: String(error) });
  }
}
