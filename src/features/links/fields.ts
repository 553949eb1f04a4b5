import { type FieldError, fieldError, invalidFields } from "../../core/errors.ts";
import type { Query } from "../../db/client.ts";
import { OWN_LINK, type OwnAddresses, readDestination } from "./destinations.ts";
import type { StoredRule } from "./evaluate.ts";
import { type LinkFields, shortHostsAmong } from "./repo/links.ts";
import { MAX_PRIORITY, MAX_REFERER_ITEMS, withPriorities } from "./rules.ts";
import type { NewLink } from "./schema.ts";
import { foldSlug, refusedSlug } from "./slugs.ts";

type LinkInput = Omit<Partial<NewLink>, "domainId"> & { isActive?: boolean };

export class InputFields {
  readonly fields: Partial<LinkFields> = {};
  readonly errors: FieldError[] = [];
  private readonly hosts = new Map<string, string>();
  private readonly own: OwnAddresses;

  /** @param urlField the caller's name for the destination */
  constructor(input: LinkInput, own: OwnAddresses, urlField: "url" | "destination" = "url") {
    this.own = own;
    const { url, slug, imageUrl, safeUrl, rules, isActive } = input;
    const { title, description, useDeeplink, botProtection } = input;
    if (url !== undefined) this.fields.destination = this.readUrl(urlField, url);
    if (slug) this.readSlug(slug);
    if (safeUrl !== undefined) this.fields.safeUrl = safeUrl && this.readUrl("safeUrl", safeUrl);
    if (imageUrl !== undefined) this.fields.imageUrl = imageUrl && this.readImage(imageUrl);
    if (rules !== undefined) this.fields.rules = this.readRules(rules);
    for (const [name, value] of Object.entries({ isActive, useDeeplink, botProtection })) {
      if (value !== undefined) Object.assign(this.fields, { [name]: value });
    }
    if (title !== undefined) this.fields.title = title?.trim() || null;
    if (description !== undefined) this.fields.description = description?.trim() || null;
  }

  get hostQuery(): Query<string[]> {
    return shortHostsAmong({ hosts: JSON.stringify([...this.hosts.keys()]) });
  }

  /**
   * @throws AppError 400 with every refused field
   */
  require(shortHosts: readonly string[], stored: Partial<LinkFields> = {}): void {
    for (const host of shortHosts) this.refuse(this.hosts.get(host) ?? "url", OWN_LINK);
    const { botProtection, safeUrl } = { ...stored, ...this.fields };
    if (botProtection && !safeUrl) this.refuse("safeUrl", "is needed for botProtection");
    if (this.errors.length > 0) throw invalidFields(this.errors);
  }

  refuse(field: string, message: string): void {
    this.errors.push(fieldError(field, message));
  }

  private readUrl(field: string, text: string): string {
    const read = readDestination(text, this.own);
    if ("refusal" in read) {
      this.refuse(field, read.refusal);
      return "";
    }
    this.hosts.set(read.host, field);
    return read.href;
  }

  /** On any host, because no visitor is redirected there. */
  private readImage(text: string): string {
    const read = readDestination(text, { shortHosts: [], mainHosts: [] });
    if (!("refusal" in read)) return read.href;
    this.refuse("imageUrl", read.refusal);
    return "";
  }

  private readSlug(text: string): void {
    const refusal = refusedSlug(text);
    if (refusal) this.refuse("slug", refusal);
    this.fields.slug = text.normalize("NFKC");
    this.fields.slugKey = foldSlug(text);
  }

  private readRules(rules: NonNullable<LinkInput["rules"]>): StoredRule[] {
    let refererItems = 0;
    const read = rules.map((rule, i) => {
      if (rule.type === "referer") refererItems += rule.referers.split(",").length;
      return { ...rule, destination: this.readUrl(`rules.${i}.destination`, rule.destination) };
    });
    if (refererItems > MAX_REFERER_ITEMS) {
      this.refuse("rules", `must name at most ${MAX_REFERER_ITEMS} referers together`);
    }
    const placed = withPriorities(read);
    if (placed[0] && placed[0].priority > MAX_PRIORITY) {
      this.refuse(
        "rules",
        `would reach priority ${placed[0].priority}: ${MAX_PRIORITY} is the highest`,
      );
    }
    return placed;
  }
}
