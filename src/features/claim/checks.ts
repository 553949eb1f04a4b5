import { NO_STORAGE } from "../../core/missing-bindings.ts";
import type { Deps } from "../../deps.ts";
import { theHeartbeat } from "../../durable/heartbeat.ts";

/** Something that the installation lacks. */
export interface Lack {
  text: string;
  /** One command that mends it; null where the text says what to do. */
  command: string | null;
}

/** Works in the project and in the folder of the deploy button, also where nothing was deployed from this copy yet. */
const DEPLOY = "npm install && npx wrangler login && npm run deploy";

/** What a deployment could not make, by what the Worker is bound to. */
export function missingBindings({
  hasQueues,
  hasStorage,
  images,
}: Pick<Deps, "hasQueues" | "hasStorage" | "images">): Lack[] {
  return [
    ...(hasStorage ? [] : [{ text: NO_STORAGE, command: DEPLOY }]),
    ...(hasQueues
      ? []
      : [
          {
            text: "This instance has no queues. Posts go out up to a minute late, and large numbers of them take longer. A deployment by a login that may edit Queues makes them.",
            command: DEPLOY,
          },
        ]),
    ...(images
      ? []
      : [
          {
            text: "This instance has no Images binding. Pages show pictures in full size, and pictures that a platform takes only in another format are refused. A deployment with the binding mends that.",
            command: DEPLOY,
          },
        ]),
  ];
}

/** Everything that is missing or does not answer, apart from the database. */
export async function findLacks(deps: Deps): Promise<Lack[]> {
  const [storage, pulse] = await Promise.all([
    deps.hasStorage ? failureOf(deps.media.head("health")) : null,
    theHeartbeat(deps.heartbeat)
      .pulse()
      .catch(() => null),
  ]);
  // Anyone may open the page, and the reason may tell of the account.
  if (storage !== null) deps.log({ event: "claim.storage_failed", reason: storage });
  return [
    ...missingBindings(deps),
    ...(storage === null
      ? []
      : [
          {
            text: "The storage does not answer. The reason is in the log of the Worker, in the line with claim.storage_failed. Look for the bucket in the Cloudflare dashboard under R2, then deploy again.",
            command: DEPLOY,
          },
        ]),
    ...(pulse === null || pulse.lastTickAt === null
      ? [
          {
            text: "The timer of this instance has not run yet. It begins within a few minutes after a deployment. If it stays so, the deployment could not set the cron trigger.",
            command: DEPLOY,
          },
        ]
      : []),
  ];
}

const failureOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
