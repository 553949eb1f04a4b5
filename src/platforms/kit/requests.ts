export interface Call {
  /** Default: POST when `json` is given, else GET. */
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  headers?: Record<string, string>;
  json?: object;
  body?: BodyInit;
}

/** Does not follow redirects, which could send the token to another server. */
export function bearerRequest(
  url: string | URL,
  accessToken: string,
  { json, method = json ? "POST" : "GET", headers, body }: Call = {},
): Request {
  return new Request(url, {
    method,
    headers: {
      authorization: `Bearer ${accessToken}`,
      ...(json ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    body: json ? JSON.stringify(json) : body,
    redirect: "manual",
  });
}
