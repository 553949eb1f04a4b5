/** The answer while the keys of the instance cannot be read. */
export function answerUnready(error: unknown): Response {
  console.log(JSON.stringify({ event: "keys.not_read", error: String(error) }));
  return Response.json(
    {
      success: false,
      error: "Akimbo cannot read the keys of this instance at the moment. Try again.",
      code: "UNAVAILABLE",
    },
    { status: 503, headers: { "Cache-Control": "no-store", "Retry-After": "5" } },
  );
}
