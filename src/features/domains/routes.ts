import * as z from "zod";
import { publicOrigin } from "../../http/env.ts";
import { idParams, readNumericId } from "../../http/ids.ts";
import { apiRoute, conflict, createRouter, json, jsonBody, NOT_FOUND } from "../../http/route.ts";
import {
  domainFilterSchema,
  domainSchema,
  listedDomainSchema,
  newDomainSchema,
  toDomain,
  toListedDomain,
} from "./schema.ts";
import * as domains from "./service.ts";

export const domainRoutes = createRouter();

const tags = ["Domains"];
const idOf = (id: string) => readNumericId(id, "Domain");

const list = apiRoute({
  method: "get",
  path: "/domains",
  tags,
  operationId: "listDomains",
  summary: "List domains",
  scope: "links:read",
  limit: "read:domains",
  request: { query: domainFilterSchema },
  responses: json(z.array(listedDomainSchema), "Oldest first."),
});
domainRoutes.openapi(list, async (c) => {
  const rows = await domains.listDomains(c.var.ctx, c.req.valid("query").teamId);
  return c.json(rows.map(toListedDomain), 200);
});

const create = apiRoute({
  method: "post",
  path: "/domains",
  tags,
  operationId: "addDomain",
  summary: "Add a domain for short links",
  description:
    "Then add a CNAME record from the domain to `edgeDcvCnameTarget` (where Cloudflare serves the domain, it also names the record), and a TXT record with the name and value of the answer. The domain is verified without another call once both records are seen. The TXT record has to stay: after three days without it the domain is not verified any more, and its links answer 404 until the record is back. Not part of the plans basic, pro and scale: 403.",
  scope: "links:write",
  limit: "write",
  request: { body: jsonBody(newDomainSchema) },
  responses: {
    ...json(domainSchema, "The domain, and the records to add."),
    ...conflict(
      "DOMAIN_TAKEN: it has been added already. When another team has added it but not proved that it is theirs, `error` names the TXT record by which your team can prove it. PLAN_LIMIT: the team has as many as it can.",
    ),
  },
});
domainRoutes.openapi(create, async (c) => {
  const { ctx } = c.var;
  const row = await domains.addDomain(ctx, c.req.valid("json"), publicOrigin(ctx, c.req.url));
  return c.json(toDomain(row), 200);
});

const verify = apiRoute({
  method: "post",
  path: "/domains/{id}/verify",
  tags,
  operationId: "verifyDomain",
  summary: "Look at the records of a domain now",
  description: "A 400 says what is missing.",
  scope: "links:write",
  limit: "write",
  request: { params: idParams },
  responses: { ...json(domainSchema, "The verified domain."), ...NOT_FOUND },
});
domainRoutes.openapi(verify, async (c) => {
  const row = await domains.verifyDomain(c.var.ctx, idOf(c.req.valid("param").id));
  return c.json(toDomain(row), 200);
});

const remove = apiRoute({
  method: "delete",
  path: "/domains/{id}",
  tags,
  operationId: "deleteDomain",
  summary: "Delete a domain",
  description: "The links on it are deleted with it: their addresses answer 404 from now on.",
  scope: "links:write",
  limit: "destructive",
  request: { params: idParams },
  responses: { ...json(domainSchema, "The domain as it was."), ...NOT_FOUND },
});
domainRoutes.openapi(remove, async (c) => {
  const row = await domains.deleteDomain(c.var.ctx, idOf(c.req.valid("param").id));
  return c.json(toDomain(row), 200);
});
