export class Refusal extends Error {
  readonly status: number;
  readonly body: object | null;
  readonly headers: Record<string, string>;

  constructor(status: number, body: object | null = null, headers: Record<string, string> = {}) {
    super(`HTTP ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }

  toResponse(): Response {
    const { status, body, headers } = this;
    return body
      ? Response.json(body, { status, headers })
      : new Response(null, { status, headers });
  }
}

/** Source: RFC 6749, 5.2. */
export const oauthError = (status: number, error: string, error_description: string): Refusal =>
  new Refusal(status, { error, error_description });
