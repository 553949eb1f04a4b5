const decode = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

const attribute = (tag: string, name: string): string | null => {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? [];
  return value === undefined ? null : decode(value);
};

const has = (tag: string, name: string): boolean =>
  new RegExp(`\\s${name}(?:=""|[\\s/>])`).test(tag);

/** What a browser without script would send of a form of a page, and a person who fills it in. */
export class FilledForm {
  readonly action: string;
  private fields: [name: string, value: string | Blob][] = [];
  private readonly html: string;

  constructor(page: string, id: string) {
    const [, attributes = "", content = ""] =
      new RegExp(`<form([^>]*\\sid="${id}"[^>]*)>([\\s\\S]*?)</form>`).exec(page) ?? [];
    this.action = attribute(attributes, "action") ?? "";
    this.html = content.replaceAll(/<template[\s\S]*?<\/template>/g, "");
    const controls =
      /<input\b[^>]*>|<textarea\b[^>]*>[\s\S]*?<\/textarea>|<select\b[^>]*>[\s\S]*?<\/select>/g;
    for (const [control] of this.html.matchAll(controls)) this.read(control);
  }

  private read(control: string): void {
    const [tag = ""] = /^<[^>]*>/.exec(control) ?? [];
    const name = attribute(tag, "name");
    if (name === null || has(tag, "disabled")) return;
    const type = attribute(tag, "type");
    if (type === "file" || type === "submit") return;
    if ((type === "checkbox" || type === "radio") && !has(tag, "checked")) return;
    if (tag.startsWith("<textarea")) {
      this.fields.push([name, decode(control.slice(tag.length, -"</textarea>".length))]);
    } else if (tag.startsWith("<select")) {
      const options = [...control.matchAll(/<option\b[^>]*>/g)].map(([option]) => option);
      const chosen = options.find((option) => has(option, "selected")) ?? options[0];
      this.fields.push([name, attribute(chosen ?? "", "value") ?? ""]);
    } else {
      this.fields.push([name, attribute(tag, "value") ?? ""]);
    }
  }

  all(name: string): (string | Blob)[] {
    return this.fields.flatMap(([own, value]) => (own === name ? [value] : []));
  }

  /** Sets a field; its earlier values are dropped. */
  set(name: string, ...values: (string | Blob)[]): this {
    const rest = this.fields.filter(([own]) => own !== name);
    this.fields = [...rest, ...values.map((value): [string, string | Blob] => [name, value])];
    return this;
  }

  /** The form as it is sent by a button. */
  press(button: string): FormData {
    if (!new RegExp(`<button[^>]*value="${button}"`).test(this.html)) {
      throw new Error(`The form has no button ${button}.`);
    }
    const body = new FormData();
    for (const [name, value] of this.fields) body.append(name, value as string);
    body.append("do", button);
    return body;
  }
}
