import type { Deps } from "../../deps.ts";
import type { DeliverMessage } from "../../queue/messages.ts";
import { deliver } from "./deliver.ts";

/** Handles a batch of messages at once: their deliveries are read and stored together. */
export const handleDeliver = (deps: Deps, messages: readonly DeliverMessage[]): Promise<void> =>
  deliver(
    deps,
    messages.flatMap(({ due }) => due),
  );
