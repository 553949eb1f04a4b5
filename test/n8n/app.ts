import type { Person } from "../conformance/person.ts";

const PATH = "/app/settings/apps";

/** Registers n8n as an app of the person's team, on its page. */
export async function registerApp(person: Person, redirectUri: string) {
  const html = await (await person.send(PATH)).text();
  const [, action = PATH] =
    /<form[^>]*action="([^"]*\/settings\/apps[^"]*)"/
      .exec(html)
      ?.map((text) => text.replaceAll("&amp;", "&")) ?? [];
  const made = await person.send(action, {
    name: "n8n",
    redirectUris: redirectUri,
    kind: "secret",
  });
  const page = await made.text();
  const [clientId = ""] = /kmx_[0-9a-f]{32}/.exec(page) ?? [];
  const [clientSecret = ""] = /kms_[0-9a-f]{64}/.exec(page) ?? [];
  if (!clientId || !clientSecret)
    throw new Error(`No app was registered (${made.status}): ${page}`);
  return { clientId, clientSecret };
}
