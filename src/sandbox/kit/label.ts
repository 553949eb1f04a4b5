const MAX_LABEL = 40;

function markOf(name: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return (hash >>> 0).toString(36);
}

export function toLabel(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().trim();
  const label = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  const isExact = /^[a-z0-9 ._-]+$/.test(plain) && label !== "" && label.length <= MAX_LABEL;
  const start = label.slice(0, MAX_LABEL).replace(/-+$/, "") || "account";
  return isExact ? start : `${start}-${markOf(name)}`;
}
