interface LockEntry {
  version?: string;
  resolved?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
  dev?: boolean;
  devOptional?: boolean;
  [field: string]: unknown;
}

interface Lock {
  lockfileVersion: number;
  packages: Record<string, LockEntry>;
}

interface Manifest {
  name: string;
  version: string;
  license: string;
  engines: Record<string, string>;
  dependencies: Record<string, string>;
}

/** The place at which Node finds a package from another package's folder; null when it is not installed. */
function placeOf(packages: Lock["packages"], from: string, name: string): string | null {
  for (
    let folder = from;
    ;
    folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))
  ) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (packages[place]) return place;
    if (folder === "") return null;
  }
}

/** The part of a project's lockfile that a package with fewer dependencies needs. It names no registry. */
export function lockOf({ lockfileVersion, packages }: Lock, manifest: Manifest): Lock & object {
  const needed = new Map<string, LockEntry>();
  const waiting = Object.keys(manifest.dependencies).map((name): [string, string] => ["", name]);
  for (const [from, name] of waiting) {
    const place = placeOf(packages, from, name);
    const entry = place === null ? undefined : packages[place];
    if (place === null || !entry || needed.has(place)) continue;
    const { resolved: _, dev: __, devOptional: ___, ...kept } = entry;
    needed.set(place, kept);
    const isWanted = (peer: string) => !entry.peerDependenciesMeta?.[peer]?.optional;
    const names = [
      ...Object.keys(entry.dependencies ?? {}),
      ...Object.keys(entry.optionalDependencies ?? {}),
      ...Object.keys(entry.peerDependencies ?? {}).filter(isWanted),
    ];
    waiting.push(...names.map((one): [string, string] => [place, one]));
  }
  const { name, version, license, engines, dependencies } = manifest;
  const sorted = [...needed].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    ...{ name, version },
    lockfileVersion,
    ...{ requires: true },
    packages: {
      "": { name, version, license, dependencies, engines },
      ...Object.fromEntries(sorted),
    },
  };
}
