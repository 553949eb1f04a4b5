import { ANNOUNCED_SCOPES } from "../../core/scopes.ts";
import { DEVICE_GRANT, resourceUrl, scopesOf } from "./rules.ts";
import { AUTH_METHODS, RESOURCES, type Resource } from "./table.ts";

/** At the root, where clients that do not read the metadata look for them. */
export const ENDPOINTS = {
  authorization: "/authorize",
  device: "/device",
  deviceAuthorization: "/device_authorization",
  token: "/token",
  registration: "/register",
  revocation: "/revoke",
} as const;

/** @see https://www.rfc-editor.org/rfc/rfc8414 */
export const serverMetadata = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: origin + ENDPOINTS.authorization,
  token_endpoint: origin + ENDPOINTS.token,
  registration_endpoint: origin + ENDPOINTS.registration,
  revocation_endpoint: origin + ENDPOINTS.revocation,
  device_authorization_endpoint: origin + ENDPOINTS.deviceAuthorization,
  scopes_supported: ANNOUNCED_SCOPES,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token", DEVICE_GRANT],
  token_endpoint_auth_methods_supported: AUTH_METHODS,
  revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  protected_resources: RESOURCES.map((one) => resourceUrl(one, origin)),
  service_documentation: `${origin}/docs/agents`,
});

/** The scopes of the API are announced to apps that an owner registered, which know what they need. */
const announcedOf = (resource: Resource): readonly string[] =>
  resource === "mcp" ? ANNOUNCED_SCOPES : scopesOf(resource);

/** @see https://www.rfc-editor.org/rfc/rfc9728 */
export const resourceMetadata = (resource: Resource, origin: string) => ({
  resource: resourceUrl(resource, origin),
  authorization_servers: [origin],
  scopes_supported: announcedOf(resource),
  bearer_methods_supported: ["header"],
  resource_name: "Akimbo",
  resource_documentation: `${origin}/docs/${resource === "mcp" ? "agents" : "teams"}`,
});
