import type { Deps } from "../../deps.ts";

/** The same object, which reports every call to one of its methods. */
function counted<T extends object>(target: T, spend: () => void): T {
  return new Proxy(target, {
    get(object, name) {
      const value = Reflect.get(object, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        spend();
        return value.apply(object, args);
      };
    },
  });
}

/** The same deps, of which every call that leaves the Worker is counted: each is a subrequest. */
export function countedDeps(deps: Deps, spend: () => void): Deps {
  const { db, media, publishQueue, collectQueue, webhookQueue, deliveryGate, sandbox, fetch } =
    deps;
  const bucket = {
    get: (...call: Parameters<typeof media.get>) => media.get(...call),
    put: (...call: Parameters<typeof media.put>) => media.put(...call),
    delete: (...call: Parameters<typeof media.delete>) => media.delete(...call),
    createMultipartUpload: async (...call: Parameters<typeof media.createMultipartUpload>) =>
      counted(await media.createMultipartUpload(...call), spend),
  };
  return {
    ...deps,
    fetch: (...call) => {
      spend();
      return fetch(...call);
    },
    db: counted(db, spend),
    media: counted(bucket as typeof media, spend),
    publishQueue: counted(publishQueue, spend),
    collectQueue: counted(collectQueue, spend),
    webhookQueue: counted(webhookQueue, spend),
    deliveryGate: {
      getByName: (name: string) => counted(deliveryGate.getByName(name), spend),
    } as typeof deliveryGate,
    sandbox: {
      getByName: (name: string) => counted(sandbox.getByName(name), spend),
    } as typeof sandbox,
  };
}
