/**
 * A plugin for Miniflare that passes bindings on to the runtime as they are written. By it, queues and databases of an
 * uploaded Worker lead through the edge's own Worker.
 */
interface RawOptions {
  config: { env?: Record<string, { type: string; dev?: { options?: { binding?: object } } }> };
}

const RAW = "unsafe:raw";

const rawEntries = ({ config }: RawOptions) =>
  Object.entries(config.env ?? {}).filter(([, { type }]) => type === RAW);

export const plugins = {
  raw: {
    getBindings: (options: RawOptions) =>
      rawEntries(options).map(([name, { dev }]) => ({ name, ...dev?.options?.binding })),
    getNodeBindings: () => ({}),
    getServices: async () => [],
  },
};
