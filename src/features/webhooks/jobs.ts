import type { Deps } from "../../deps.ts";
import type { DeliverMessage } from "../../queue/messages.ts";
import { deliver } from "./deliver.ts";

export const handleDeliver = (deps: Deps, messages: readonly DeliverMessage[]): Promise<void> =>
  deliver(
    deps,
    messages.flatMap(({ due }) => due),
  );
