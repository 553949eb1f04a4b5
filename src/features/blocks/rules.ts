export const BLOCK_KINDS = ["text", "utm"] as const;

export interface Block {
  name: string;
  /** `utm`: the text is parameters that are added to the address `url`. */
  kind: (typeof BLOCK_KINDS)[number];
  text: string;
  /** False when a caller whose posts wait for approval saved it last: posts that name it wait too. */
  mayPublish: boolean;
}

export const BLOCK_NAME = /^[a-z0-9][a-z0-9-]{0,49}$/;

/** Variables that every block has. */
export interface BlockScope {
  platform: string;
  account: string;
}

const BEGINNING = "{block:";
const CALL = /\{block:([^{}|]*)((?:\|[^{}|]*)*)\}/g;
const VARIABLE = /\{([a-z][a-z0-9_]*)\}/g;
const NAMED_VALUE = /^\s*([a-z][a-z0-9_]*)=(.*)$/s;
/** How deep a block may name other blocks. */
const MAX_DEPTH = 3;
/** More than any text of a post may have. */
const MAX_EXPANDED_CHARACTERS = 80_000;

export const namesBlock = (text: string | null | undefined): boolean =>
  text?.includes(BEGINNING) ?? false;

export interface Expansion {
  text: string;
  refusals: string[];
  /** The text has a block of a caller whose posts wait for approval. */
  isHeld: boolean;
}

/**
 * Puts the texts of blocks in the places that name them: `{block:name}`, or with values `{block:name|product=Shoes}`. A
 * text that is refused stays as it is.
 */
export function expandBlocks(text: string, blocks: readonly Block[], scope: BlockScope): Expansion {
  const refusals: string[] = [];
  let isHeld = false;
  let expanded = text;
  for (let depth = 0; namesBlock(expanded) && refusals.length === 0; depth++) {
    if (depth === MAX_DEPTH) {
      refusals.push(`blocks name each other more than ${MAX_DEPTH} deep.`);
      break;
    }
    const calls = [...expanded.matchAll(CALL)];
    if (calls.length === 0) {
      refusals.push("a block is written {block:name}, or {block:name|variable=value}.");
      break;
    }
    let added = expanded.length;
    expanded = expanded.replace(CALL, (_, name: string, values: string) => {
      if (added > MAX_EXPANDED_CHARACTERS) return "";
      const block = blocks.find((one) => one.name === name.trim().toLowerCase());
      if (!block) {
        refusals.push(`there is no block named "${name.trim().slice(0, 50)}".`);
        return "";
      }
      const filled = fill(block, { ...scope, ...readValues(values) });
      refusals.push(...filled.refusals);
      isHeld ||= !block.mayPublish;
      added += filled.text.length;
      return filled.text;
    });
    if (added > MAX_EXPANDED_CHARACTERS) {
      refusals.push(
        `with its blocks, the text has more than ${MAX_EXPANDED_CHARACTERS} characters.`,
      );
    }
  }
  return refusals.length > 0
    ? { text, refusals: [...new Set(refusals)], isHeld }
    : { text: expanded, refusals: [], isHeld };
}

/** A value without a name is the address: `{block:spring|https://example.com}`. */
function readValues(text: string): Record<string, string> {
  const values = text.split("|").slice(1);
  return Object.fromEntries(
    values.map((value) => {
      const [, name = "url", own = value] = NAMED_VALUE.exec(value) ?? [];
      return [name, own.trim()];
    }),
  );
}

type Filled = Pick<Expansion, "text" | "refusals">;

function fill({ name, kind, text }: Block, values: Record<string, string>): Filled {
  if (kind === "utm") return addParameters(name, text, values);
  const missing: string[] = [];
  const filled = text.replace(VARIABLE, (whole, variable: string) => {
    const value = Object.hasOwn(values, variable) ? values[variable] : undefined;
    if (value === undefined) missing.push(variable);
    return value ?? whole;
  });
  const refusals = missing.map(
    (variable) => `the block "${name}" needs ${variable}: {block:${name}|${variable}=…}.`,
  );
  return { text: filled, refusals };
}

export const isParameters = (text: string): boolean =>
  /^[\w.-]+=[^&\s]*(?:&[\w.-]+=[^&\s]*)*$/.test(text);

/** The address keeps its own parameters. */
function addParameters(name: string, text: string, values: Record<string, string>): Filled {
  const url = URL.parse(values.url ?? "");
  if (!url || !/^https?:$/.test(url.protocol)) {
    const refusal = `the block "${name}" needs an address: {block:${name}|https://example.com}.`;
    return { text: "", refusals: [refusal] };
  }
  for (const [parameter, template] of new URLSearchParams(text)) {
    if (url.searchParams.has(parameter)) continue;
    const value = template.replace(VARIABLE, (_, variable: string) => values[variable] ?? "");
    url.searchParams.append(parameter, value);
  }
  return { text: url.href, refusals: [] };
}

/** The block as a post names it, with a place for each variable that the post has to give. */
export function blockCall({ name, kind, text }: Omit<Block, "mayPublish">): string {
  if (kind === "utm") return `{block:${name}|https://example.com}`;
  const variables = new Set([...text.matchAll(VARIABLE)].map(([, variable]) => variable));
  const others = [...variables].filter((one) => one !== "platform" && one !== "account");
  return `{block:${[name, ...others.map((one) => `${one}=…`)].join("|")}}`;
}
