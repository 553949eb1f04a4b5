import { sign } from "../../core/signature.ts";
import type { Fetch } from "../connector.ts";

/**
 * Meta documents `appsecret_proof` for neither graph.instagram.com nor graph.threads.net.
 * @see https://developers.facebook.com/docs/graph-api/guides/secure-requests
 */
const GRAPH_HOSTS = new Set(["graph.facebook.com", "graph-video.facebook.com"]);

const BEARER = /^Bearer (.+)$/;

export const withAppSecretProof =
  (network: Fetch, secret: string): Fetch =>
  async (input, init) => {
    const request = input instanceof Request ? input : new Request(input, init);
    const url = new URL(request.url);
    const token = BEARER.exec(request.headers.get("authorization") ?? "")?.[1];
    if (!token || !GRAPH_HOSTS.has(url.hostname)) return network(input, init);
    url.searchParams.set("appsecret_proof", await sign(secret, token));
    return network(new Request(url, request), init);
  };
