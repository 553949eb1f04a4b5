/**
 * A plugin for Miniflare that passes bindings, and services that they lead to, on to the runtime as they are written. By
 * it, queues and databases of an uploaded Worker lead through the edge's own Worker.
 */
interface RawOptions {
  config: {
    env?: Record<
      string,
      { type: string; dev?: { options?: { binding?: object; service?: object } } }
    >;
  };
}

const RAW = "unsafe:raw";

const rawEntries = ({ config }: RawOptions) =>
  Object.entries(config.env ?? {}).filter(([, { type }]) => type === RAW);

export const plugins = {
  raw: {
    getBindings: (options: RawOptions) =>
      rawEntries(options).map(([name, { dev }]) => ({ name, ...dev?.options?.binding })),
    getNodeBindings: () => ({}),
    getServices: async ({ options }: { options: RawOptions }) =>
      rawEntries(options).flatMap(([, { dev }]) => dev?.options?.service ?? []),
  },
};
