/** Source: RFC 6749, 4.1.2.1 and 5.2; RFC 7591, 3.2.2; RFC 8628, 3.5; RFC 8707, 2. */
const STATUS = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  access_denied: 400,
  authorization_pending: 400,
  slow_down: 400,
  expired_token: 400,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  temporarily_unavailable: 429,
} as const;

export type OAuthErrorCode = keyof typeof STATUS;

/** A refusal in the words of OAuth. The message is the `error_description`. */
export class OAuthRefusal extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  /** For the log: tells refusals apart that callers must not tell apart. */
  readonly reason: string;

  constructor(code: OAuthErrorCode, description: string, reason: string = code) {
    super(description);
    this.code = code;
    this.status = STATUS[code];
    this.reason = reason;
  }
}
