import texts from "texts:src";
import { expect, test } from "vitest";

/** The text of every module by its path, such as "core/ids.ts". */
const sources = new Map(Object.entries(texts));

interface Import {
  /** A module of ours by its path, or a package by its name. */
  to: string;
  isLazy: boolean;
  isType: boolean;
}

const IMPORT =
  /^(?:import|export)\s(?:(type)\s)?(?:[^"';]*?\sfrom\s)?"([^"]+)"|\b(import)\("([^"]+)"\)/gm;

function importsOf(path: string): Import[] {
  return [...(sources.get(path) ?? "").matchAll(IMPORT)].map(([, type, now, lazy, later]) => {
    const name = now ?? later ?? "";
    const isOurs = name.startsWith(".");
    return {
      to: isOurs ? new URL(name, `file:///${path}`).pathname.slice(1) : name,
      isLazy: lazy !== undefined,
      isType: type !== undefined,
    };
  });
}

/** Finds a way from each node back to itself; null where there is none. */
function findCycle(nodes: Iterable<string>, next: (node: string) => string[]): string[] | null {
  const done = new Set<string>();
  const walk = (node: string, way: string[]): string[] | null => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node];
    if (done.has(node)) return null;
    for (const one of next(node)) {
      const cycle = walk(one, [...way, node]);
      if (cycle) return cycle;
    }
    done.add(node);
    return null;
  };
  for (const node of nodes) {
    const cycle = walk(node, []);
    if (cycle) return cycle;
  }
  return null;
}

/** Returns the paths and packages that a module loads at once, directly or through others. */
function reachOf(entry: string): Set<string> {
  const reach = new Set<string>();
  const queue = [entry];
  for (const path of queue) {
    for (const { to, isLazy, isType } of importsOf(path)) {
      if (isLazy || isType || reach.has(to)) continue;
      reach.add(to);
      queue.push(to);
    }
  }
  return reach;
}

/** Modules in rooms of their own: the consumer knows the features, and scripts of pages run in browsers. */
const roomOf = (path: string): string =>
  /^(?:queue\/consumer\.ts$|pages\/islands(?=\/))/.exec(path)?.[0] ?? path.split("/")[0] ?? "";

/** The rooms that each room may import, besides itself and core. */
const ARROWS: Record<string, string[]> = {
  core: [],
  db: [],
  // The one object of the installation brings the database up to date.
  durable: ["db"],
  pages: [],
  // Scripts in browsers count characters by the platforms' own functions.
  "pages/islands": ["platforms"],
  platforms: [],
  "config.ts": [],
  "deps.ts": ["config.ts", "db", "durable", "platforms", "queue", "sandbox"],
  sandbox: ["deps.ts", "pages", "platforms"],
  http: ["config.ts", "deps.ts", "durable", "pages", "platforms"],
  mcp: ["deps.ts"],
  features: [
    "config.ts",
    "db",
    "deps.ts",
    "durable",
    "http",
    "mcp",
    "pages",
    "platforms",
    "queue",
    "sandbox",
  ],
  queue: ["deps.ts"],
  "queue/consumer.ts": ["deps.ts", "features", "queue"],
  cron: ["db", "deps.ts", "durable", "features", "queue", "queue/consumer.ts"],
  doors: ["config.ts", "cron", "deps.ts", "features", "http", "mcp", "platforms", "sandbox"],
  "app.ts": ["doors", "http"],
  "worker.ts": ["app.ts", "cron", "deps.ts", "doors", "durable", "queue/consumer.ts", "sandbox"],
  client: ["cli"],
  python: ["cli"],
  cli: ["client", "config.ts", "db", "features", "platforms", "sandbox"],
};

const map = Object.values(
  import.meta.glob("../../.github/CONTRIBUTING.md", {
    query: "?raw",
    import: "default",
    eager: true,
  }),
).join("");

/** The public files of each feature, in the order in which features may import each other. */
const PUBLIC_FILES = new Map(
  [...map.matchAll(/^\| ([a-z-]+) \| [^|]+ \| ([^|]+) \|$/gm)].map(
    ([, feature = "", files = ""]) => [
      feature,
      [...files.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file),
    ],
  ),
);

const FEATURES = [...PUBLIC_FILES.keys()];

const MAX_PUBLIC_FILES = 5;

/** Features with more public files than that. */
const WIDE_OPEN: string[] = [];

/** Files of a feature that doors, the consumer of the queues and cron load, besides its public files. */
const DOOR_FILES =
  /^(?:(?:[a-z]+-)?(?:routes|expiry)|caller|tools|jobs|sweep|watch|clean-up|secrets|erase|renew|nightly)\.ts$|\.tsx$/;

/** Imports against the order of features. */
const EXCEPTIONS = [
  // Redirects keep the links that they have found, which a change of a domain ends.
  "features/domains/service.ts → features/links/hot-links.ts",
  "features/domains/watch.ts → features/links/hot-links.ts",
];

test("no module imports itself through others, not even for a type", () => {
  const ours = (path: string) => importsOf(path).flatMap(({ to }) => (sources.has(to) ? [to] : []));
  expect(findCycle(sources.keys(), ours)).toBeNull();
});

test("every import follows the arrows of the house", () => {
  const against = [...sources.keys()].flatMap((path) => {
    const room = roomOf(path);
    const allowed = [room, "core", ...(ARROWS[room] ?? [])];
    return importsOf(path).flatMap(({ to }) =>
      sources.has(to) && !allowed.includes(roomOf(to)) ? [`${path} → ${to}`] : [],
    );
  });
  expect(against).toEqual([]);
});

test("a feature imports those before it alone", () => {
  const featureOf = (path: string) => /^features\/([^/]+)\//.exec(path)?.[1];
  const features = new Set([...sources.keys()].flatMap((path) => featureOf(path) ?? []));
  expect([...features].sort()).toEqual([...FEATURES].sort());
  const against = [...sources.keys()].flatMap((path) => {
    const place = FEATURES.indexOf(featureOf(path) ?? "");
    const isLater = ({ to }: Import) =>
      place >= 0 && FEATURES.indexOf(featureOf(to) ?? "") > place && !to.endsWith("/table.ts");
    return importsOf(path)
      .filter(isLater)
      .map(({ to }) => `${path} → ${to}`);
  });
  expect(against.sort()).toEqual(EXCEPTIONS);
});

const partOf = (path: string) => /^features\/([^/]+)\/(.+)$/.exec(path)?.slice(1) ?? [];

test("each feature is entered by its public files, at most five", () => {
  const against = [...sources.keys()].flatMap((path) => {
    const [own] = partOf(path);
    const isDoor = ["doors", "cron", "queue/consumer.ts"].includes(roomOf(path));
    return importsOf(path).flatMap(({ to }) => {
      const [feature, file = ""] = partOf(to);
      if (!feature || feature === own || PUBLIC_FILES.get(feature)?.includes(file)) return [];
      return isDoor && DOOR_FILES.test(file) ? [] : [`${path} → ${to}`];
    });
  });
  expect(against).toEqual([]);
  const wideOpen = FEATURES.filter(
    (feature) => (PUBLIC_FILES.get(feature)?.length ?? 0) > MAX_PUBLIC_FILES,
  );
  expect(wideOpen).toEqual(WIDE_OPEN);
});

test("every public file exists and is used by another room", () => {
  const used = new Set(
    [...sources.keys()].flatMap((path) =>
      importsOf(path).flatMap(({ to }) => (partOf(to)[0] === partOf(path)[0] ? [] : [to])),
    ),
  );
  const listed = [...PUBLIC_FILES].flatMap(([feature, files]) =>
    files.map((file) => `features/${feature}/${file}`),
  );
  expect(listed.filter((path) => !used.has(path))).toEqual([]);
});

test("no platform knows another one, and only the registries know them", () => {
  const folders = [...sources.keys()].flatMap(
    (path) => /^(?:platforms|sandbox)\/\w+\/(?=index\.ts$)/.exec(path) ?? [],
  );
  expect(folders.length).toBeGreaterThanOrEqual(18);
  const folderOf = (path: string) => /^\w+\/\w+\//.exec(path)?.[0] ?? "";
  const others = [...sources.keys()].filter(
    (path) => !path.endsWith("/registry.ts") && roomOf(path) !== "pages/islands",
  );
  const against = others.flatMap((path) =>
    importsOf(path).flatMap(({ to }) =>
      folders.includes(folderOf(to)) && folderOf(path) !== folderOf(to) ? [`${path} → ${to}`] : [],
    ),
  );
  expect(against).toEqual([]);
});

test("the Worker starts without schemas, statements and simulators", () => {
  const reach = reachOf("worker.ts");
  expect(reach).toContain("durable/rate-limiter.ts");
  for (const name of ["zod", "drizzle-orm", "hono", "deps.ts", "sandbox/registry.ts"]) {
    expect(reach).not.toContain(name);
  }
});

test.each(["doors/api.ts", "doors/mcp.ts"])(
  "%s loads no feature before a call asks for it, but what knows the caller",
  (door) => {
    const rooms = [...reachOf(door)]
      .filter((path) => path.startsWith("features/"))
      .map((path) => path.split("/")[1]);
    expect(new Set(rooms)).toEqual(new Set(["auth"]));
  },
);

test.each(["doors/site.ts", "doors/sandbox.ts", "cron/schedule.ts"])(
  "%s loads no connector before it needs one",
  (door) => {
    expect(reachOf(door)).not.toContain("platforms/registry.ts");
  },
);

test.each([
  "doors/site.ts",
  "doors/sandbox.ts",
  "doors/pages.ts",
  "doors/connect.ts",
  "queue/consumer.ts",
  "cron/schedule.ts",
])("%s loads no schema of the API", (door) => {
  const reach = [...reachOf(door)];
  expect(reach).not.toContain("@hono/zod-openapi");
  // Without that library a schema that describes itself to it cannot even be made.
  expect(reach.filter((path) => sources.get(path)?.includes(".openapi("))).toEqual([]);
});

test.each(["queue/consumer.ts", "cron/schedule.ts", "platforms/registry.ts"])(
  "%s loads neither schemas nor a router",
  (entry) => {
    const reach = reachOf(entry);
    for (const name of ["zod", "hono"]) expect(reach).not.toContain(name);
  },
);

test("nothing that publishes loads what only pages show of a post", () => {
  const entries = [...sources.keys()].filter(
    (path) =>
      /^platforms\/[^/]+\/(?:index|publish|check|sent)\.ts$/.test(path) ||
      path === "queue/consumer.ts",
  );
  expect(entries.length).toBeGreaterThan(30);
  const loading = entries.filter((entry) =>
    [...reachOf(entry)].some((path) => /\/(?:likeness|setting-words)\.ts$/.test(path)),
  );
  expect(loading).toEqual([]);
});

test("a schema that describes itself imports what it does so to: the script's parts come in any order", () => {
  const without = [...sources.keys()].filter(
    (path) =>
      /schema\.ts$/.test(path) &&
      sources.get(path)?.includes(".openapi(") &&
      !importsOf(path).some(({ to }) => to === "http/describing.ts"),
  );
  expect(without).toEqual([]);
});

test.each(["doors/pages.ts", "doors/api.ts", "doors/site.ts", "doors/sandbox.ts"])(
  "%s loads no library of passkeys before somebody uses one",
  (door) => {
    expect(reachOf("features/sign-in/passkeys.ts")).toContain("@simplewebauthn/server");
    expect(reachOf(door)).not.toContain("@simplewebauthn/server");
  },
);

test.each(["doors/api.ts", "doors/site.ts", "doors/storage.ts", "queue/consumer.ts"])(
  "%s loads no signing of storage's addresses before something is presigned",
  (door) => {
    expect(reachOf("features/presign/service.ts")).toContain("aws4fetch");
    expect(reachOf(door)).not.toContain("aws4fetch");
  },
);

test("Node's modules are for pages, and for forms with a file: no other door sets them up", () => {
  const worker = [...sources.keys()].filter(
    (path) => !["cli", "client", "python"].includes(roomOf(path)),
  );
  const isNodes = ({ to, isType }: Import) => !isType && /^(node:|busboy$)/.test(to);
  const askers = worker.filter((path) => importsOf(path).some(isNodes));
  expect(askers.sort()).toEqual([
    "core/node-process.ts",
    "http/multipart.ts",
    "http/node-stream.ts",
    "sandbox/kit/streamed-form.ts",
    "sandbox/pinterest/uploads.ts",
  ]);
  expect(importsOf("http/multipart.ts").find(isNodes)).toMatchObject({ isLazy: true });
  for (const door of ["doors/short.ts", "doors/api.ts", "queue/consumer.ts", "cron/schedule.ts"]) {
    expect(reachOf(door)).not.toContain("core/node-process.ts");
  }
  const globals = /(?<![-.\w])(?:Buffer|process)\.\w/;
  const code = (path: string) =>
    (sources.get(path) ?? "").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
  const users = worker.filter((path) => !askers.includes(path) && globals.test(code(path)));
  expect(users).toEqual([]);
});
