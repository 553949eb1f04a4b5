/** Source: Queues, "Limits": messages per sendBatch. */
const MESSAGES_PER_SEND = 100;

export function* inSends<T>(messages: readonly T[]): Generator<T[]> {
  for (let i = 0; i < messages.length; i += MESSAGES_PER_SEND) {
    yield messages.slice(i, i + MESSAGES_PER_SEND);
  }
}
