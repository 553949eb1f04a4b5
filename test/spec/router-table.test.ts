import { expect, test } from "vitest";
import { beginningOf, beginsWith, loadRouters, ROUTER_TABLE } from "../../src/doors/api.ts";

const entries = await Promise.all(
  ROUTER_TABLE.map(async ([beginnings, load]) => {
    const router = await load();
    const paths = router.openAPIRegistry.definitions.flatMap((definition) =>
      definition.type === "route" ? [definition.route.path.slice(1)] : [],
    );
    return { beginnings: [beginnings].flat(), router, paths };
  }),
);

test.each(entries)("a path below $beginnings loads the router that declares it", async (entry) => {
  expect(entry.paths).not.toEqual([]);
  for (const path of entry.paths) {
    const { open, behindToken } = await loadRouters(beginningOf(`/api/v1/${path}`));
    expect([...open, ...behindToken], path).toContain(entry.router);
  }
});

test.each(entries)("$beginnings have no beginning without a path", ({ beginnings, paths }) => {
  const unused = beginnings.filter((one) => !paths.some((path) => beginsWith(path, one)));
  expect(unused).toEqual([]);
});
