/** Calls the handlers of queues and schedules of uploaded Workers. */
const fromBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

function toBody({ format, body }) {
  const bytes = fromBase64(body);
  if (format === "v8") return { serializedBody: bytes };
  if (format === "bytes") return { body: bytes.buffer };
  const text = new TextDecoder().decode(bytes);
  return { body: format === "json" ? JSON.parse(text) : text };
}

const CALLS = {
  "/queue": (worker, { queue, messages, metrics }) =>
    worker.queue(
      queue,
      messages.map(({ id, timestamp, attempts, ...message }) => ({
        id,
        timestamp: new Date(timestamp),
        attempts,
        ...toBody(message),
      })),
      { metrics },
    ),
  "/scheduled": (worker, { cron, time }) =>
    worker.scheduled({ cron, scheduledTime: new Date(time) }),
};

export default {
  async fetch(request, env) {
    const { worker, ...call } = await request.json();
    return Response.json(await CALLS[new URL(request.url).pathname](env[worker], call));
  },
};
