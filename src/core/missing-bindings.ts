import { AppError } from "./errors.ts";

/** A queue that drops its messages. The rows of the database say what is due, and each minute's tick does it. */
export const noQueue = <T>(): Queue<T> =>
  ({ send: async () => {}, sendBatch: async () => {} }) as unknown as Queue<T>;

export const NO_STORAGE =
  "This instance has no storage for files. Its owner enables R2 in the Cloudflare dashboard, which asks for a payment method, and deploys Akimbo again.";

/** A bucket whose every call is refused. Text posts work without storage. */
export const noBucket = (): R2Bucket =>
  new Proxy({} as R2Bucket, {
    get: () => async () => {
      throw new AppError("UNAVAILABLE", NO_STORAGE);
    },
  });

export const NO_IMAGES =
  "This instance has no Images binding, so it cannot convert pictures. Use a JPEG, or ask its owner to add the binding.";
