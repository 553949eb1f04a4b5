const MAX_LABEL = 40;

/** A short mark of a name that its letters alone do not tell apart. Equal names have equal marks. */
function markOf(name: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return (hash >>> 0).toString(36);
}

/** Returns a name in small letters, digits and hyphens, as it can stand in a handle; other names have other labels. */
export function toLabel(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
  const label = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  const isTold = /^[a-z0-9 ._-]+$/.test(plain) && label !== "" && label.length <= MAX_LABEL;
  const start = label.slice(0, MAX_LABEL).replace(/-+$/, "") || "account";
  return isTold ? start : `${start}-${markOf(name)}`;
}
