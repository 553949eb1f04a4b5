export interface Call {
  /** Default: GET, or POST where there is `json`. */
  method?: "GET" | "POST" | "PUT" | "DELETE";
  headers?: Record<string, string>;
  json?: object;
  body?: BodyInit;
}

/** A call with the account's token. A redirect could carry it to somebody else, so none is followed. */
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
