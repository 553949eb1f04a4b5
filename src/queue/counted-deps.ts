import type { Deps } from "../deps.ts";

/** Wraps `target`: each method call first calls `spend`. */
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

/** Each part of a multipart upload is a subrequest too. */
const countedBucket = (bucket: R2Bucket, spend: () => void): R2Bucket =>
  new Proxy(counted(bucket, spend), {
    get(object, name) {
      if (name !== "createMultipartUpload") return Reflect.get(object, name);
      return async (...args: Parameters<R2Bucket["createMultipartUpload"]>) =>
        counted(await object.createMultipartUpload(...args), spend);
    },
  });

const countedNamespace = <T extends Rpc.DurableObjectBranded>(
  namespace: DurableObjectNamespace<T>,
  spend: () => void,
) =>
  ({
    getByName: (name: string) => counted(namespace.getByName(name), spend),
  }) as DurableObjectNamespace<T>;

export const countedDeps = (deps: Deps, spend: () => void): Deps => ({
  ...deps,
  fetch: (...call) => {
    spend();
    return deps.fetch(...call);
  },
  db: counted(deps.db, spend),
  media: countedBucket(deps.media, spend),
  publishQueue: counted(deps.publishQueue, spend),
  collectQueue: counted(deps.collectQueue, spend),
  webhookQueue: counted(deps.webhookQueue, spend),
  email: deps.email && counted(deps.email, spend),
  deliveryGate: countedNamespace(deps.deliveryGate, spend),
  sandbox: countedNamespace(deps.sandbox, spend),
});
