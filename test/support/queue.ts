interface Sent<T> {
  message: T;
  delaySeconds: number;
}

/** The sending side of a queue: `take` is given the messages of each call. */
export function queueTo<T>(
  take: (sent: Sent<T>[], call: "send" | "send batch") => Promise<void> | void,
): Queue<T> {
  const queue = {
    send: async (message: T, { delaySeconds = 0 }: QueueSendOptions = {}) =>
      take([{ message, delaySeconds }], "send"),
    sendBatch: async (messages: Iterable<MessageSendRequest<T>>) =>
      take(
        Array.from(messages, ({ body, delaySeconds = 0 }) => ({ message: body, delaySeconds })),
        "send batch",
      ),
  };
  return queue as unknown as Queue<T>;
}
