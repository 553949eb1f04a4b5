/** A person whose browser runs no scripts, at an instance that runs on this machine. */
export class Person {
  private readonly origin: string;
  private readonly cookies = new Map<string, string>();

  private constructor(origin: string) {
    this.origin = origin;
  }

  /** Signs in with the link that `npm start` prints. */
  static async signIn(origin: string, link: string): Promise<Person> {
    const person = new Person(origin);
    const token = new URL(link).searchParams.get("token") ?? "";
    const { status, headers } = await person.send("/sign-in/link", { token });
    const location = headers.get("location") ?? "";
    if (status === 303 && location.startsWith("/app")) return person;
    throw new Error(`The sign-in answers with ${status} and leads to ${location}.`);
  }

  /** Sends the fields as a form of the service's own page; without fields, opens the page. */
  async send(path: string, fields?: Fields): Promise<Response> {
    const response = await fetch(new URL(path, this.origin), {
      method: fields ? "POST" : "GET",
      redirect: "manual",
      headers: {
        connection: "close",
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        "sec-fetch-site": "same-origin",
      },
      ...(fields ? { body: toForm(fields) } : {}),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.cookies.set(name, value);
    }
    return response;
  }

  /**
   * Opens a program's request and allows what the page has ticked.
   *
   * @param more scopes that the person ticks besides
   * @returns where the page leads the browser with the answer
   */
  async allow(request: URL, more: readonly string[] = []): Promise<URL> {
    const page = await this.send(request.href);
    const location = page.headers.get("location");
    if (location) return new URL(location);
    const html = await page.text();
    if (page.status !== 200) throw new Error(`The page answers with ${page.status}: ${html}`);
    const action = attribute(html, /<form method="post" action="(\/authorize\?[^"]*)"[^>]*class/);
    const offered = [...html.matchAll(/<input[^>]*name="scopes"[^>]*>/g)].map(([tag]) => tag);
    const ticked = offered
      .map((tag) => [attribute(tag, /value="([^"]*)"/), tag.includes("checked")] as const)
      .filter(([scope, isTicked]) => isTicked || more.includes(scope))
      .map(([scope]) => scope);
    const answer = await this.send(action, {
      person: attribute(html, /name="person" value="(\d+)"/),
      scopes: ticked,
      which: "all",
      days: "",
      decision: "allow",
    });
    const to = /url=(.*)$/.exec(answer.headers.get("refresh") ?? "")?.[1];
    if (to) return new URL(to);
    throw new Error(`Nothing was allowed (${answer.status}): ${await answer.text()}`);
  }
}

type Fields = Record<string, string | readonly string[]>;

function toForm(fields: Fields): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of [value].flat()) form.append(name, one);
  }
  return form;
}

/** What the pattern's group matches in a page, unescaped. */
function attribute(html: string, pattern: RegExp): string {
  const [, value] = pattern.exec(html) ?? [];
  if (value === undefined) throw new Error(`${pattern} is not on the page: ${html}`);
  return value.replaceAll("&amp;", "&");
}
