/** A module as Vite's runner keeps it; `meta` is its code, gone once the file has changed. */
interface KnownModule {
  meta?: unknown;
}

/** The part of Vitest's module runner that asks Node. */
interface ModuleRunner {
  getModuleInformation(url: string, importer?: string, known?: KnownModule): Promise<unknown>;
  vitestOptions: { transport: { resolveId(id: string, importer?: string): Promise<unknown> } };
  answersByItself?: true;
}

declare const __vitest_mocker__: { moduleRunner: ModuleRunner };

/**
 * Has the module runner answer for modules that it holds. By itself it asks Node at every `import()`, and a
 * Durable Object of the tested Worker is imported at every call to it: 1.5 ms each, thousands of times.
 */
export function answerKnownImports(runner = __vitest_mocker__.moduleRunner): void {
  if (runner.answersByItself) return;
  runner.answersByItself = true;
  const askForModule = runner.getModuleInformation.bind(runner);
  runner.getModuleInformation = async (url, importer, known) =>
    known?.meta ? known : askForModule(url, importer, known);
  const { transport } = runner.vitestOptions;
  const askForId = transport.resolveId.bind(transport);
  const ids = new Map<string, unknown>();
  transport.resolveId = async (id, importer) => {
    const name = `${id} from ${importer}`;
    const resolved = ids.get(name) ?? (await askForId(id, importer));
    ids.set(name, resolved);
    return resolved;
  };
}
