import { type Binding, latestOf, type Script, type Version, versionOf } from "../account.ts";
import { type Cloud, pageOf, type Route } from "../api.ts";
import { checkBindings } from "../check-upload.ts";
import { Refusal } from "../refusal.ts";
import { deploy, deployAlone, storeUpload, withSecrets } from "../upload.ts";

/** A binding as the account shows it: a secret without its text. */
const shown = ({ text, ...binding }: Binding) =>
  binding.type === "secret_text" || text === undefined ? binding : { ...binding, text };

const showVersion = (version: Version) => ({
  id: version.id,
  number: version.number,
  metadata: {
    created_on: version.createdAt,
    modified_on: version.createdAt,
    source: "wrangler",
    author_email: "owner@example.com",
    hasPreview: false,
  },
  annotations: version.annotations,
  resources: {
    script: { etag: version.id, handlers: version.handlers, last_deployed_from: "wrangler" },
    script_runtime: {
      compatibility_date: version.compatibilityDate,
      compatibility_flags: version.compatibilityFlags,
    },
    bindings: version.bindings.map(shown),
  },
  startup_time_ms: 1,
});

const showDeployment = ({
  id,
  createdAt,
  annotations,
  versions,
}: Script["deployments"][number]) => ({
  id,
  source: "wrangler",
  strategy: "percentage",
  author_email: "owner@example.com",
  annotations,
  versions,
  created_on: createdAt,
});

const service = (name: string, script: Script) => ({
  id: name,
  default_environment: {
    environment: "production",
    script: {
      id: name,
      tag: script.tag,
      tags: null,
      migration_tag: script.migrationTag ?? undefined,
      last_deployed_from: "wrangler",
      handlers: script.versions.at(-1)?.handlers,
    },
  },
});

/** The version that takes all requests; null while they are split, or while a newer one waits. */
function soleVersion(script: Script): Version | null {
  const latest = script.versions.at(-1);
  const [only, second] = script.deployments[0]?.versions ?? [];
  return latest && !second && only?.version_id === latest.id ? latest : null;
}

/** Wrangler knows this code. */
const NOT_DEPLOYED = 10_215;

async function changeSecrets(
  { account, runner }: Cloud,
  script: Script,
  changes: Record<string, string | null>,
) {
  if (!soleVersion(script)) {
    throw new Refusal(
      NOT_DEPLOYED,
      "Secret edit failed. The latest version of your Worker is not deployed at 100 %.",
    );
  }
  const before = latestOf(script).bindings.filter(
    ({ name, type }) => !(type === "secret_text" && name in changes),
  );
  const added = Object.entries(changes).flatMap(([name, text]) =>
    text === null ? [] : [{ name, text, type: "secret_text" }],
  );
  checkBindings(account, [...before, ...added]);
  deployAlone(account, script, withSecrets(account, script, changes));
  await runner.ready();
}

export const SCRIPT_ROUTES: Route[] = [
  [
    "GET /workers/services/:",
    ({ account }, { params: [name = ""] }) => {
      const script = account.findScript(name);
      if (!script) throw new Refusal(10_090, "This Worker does not exist on your account.", 404);
      return { result: service(name, script) };
    },
  ],
  [
    "GET /workers/scripts",
    ({ account }) => ({
      result: account.state.scripts.map(({ name, tag }) => ({ id: name, tag })),
    }),
  ],
  [
    "PUT /workers/scripts/:",
    async ({ account, runner }, call) => {
      const [name = ""] = call.params;
      const { script, version } = await storeUpload(account, name, await call.parts(), "script");
      deployAlone(account, script, version);
      await runner.ready();
      return {
        result: {
          id: name,
          tag: script.tag,
          etag: version.id,
          deployment_id: version.id.replaceAll("-", ""),
          startup_time_ms: 1,
        },
      };
    },
  ],
  [
    "DELETE /workers/scripts/:",
    ({ account }, { params: [name = ""] }) => {
      const script = account.script(name);
      account.state.scripts = account.state.scripts.filter((one) => one !== script);
      for (const queue of account.state.queues) {
        if (queue.consumer?.script === name) queue.consumer = null;
      }
      return { result: null };
    },
  ],
  [
    "POST /workers/scripts/:/versions",
    async ({ account }, call) => {
      const [name = ""] = call.params;
      account.script(name);
      const { version } = await storeUpload(account, name, await call.parts(), "version");
      return { result: showVersion(version) };
    },
  ],
  [
    "GET /workers/scripts/:/versions",
    ({ account }, { params: [name = ""], query }) => {
      const versions = account.script(name).versions.toReversed().map(showVersion);
      const { result, info } = pageOf(versions, query, 10);
      return { result: { items: result }, info: info ?? {} };
    },
  ],
  [
    "GET /workers/scripts/:/versions/:",
    ({ account }, { params: [name = "", id = ""] }) => ({
      result: showVersion(versionOf(account.script(name), id)),
    }),
  ],
  [
    "GET /workers/scripts/:/deployments",
    ({ account }, { params: [name = ""] }) => ({
      result: { deployments: account.script(name).deployments.map(showDeployment) },
    }),
  ],
  [
    "POST /workers/scripts/:/deployments",
    async ({ account, runner }, call) => {
      const script = account.script(call.params[0] ?? "");
      const { versions, annotations } = call.json<{
        versions: { version_id: string; percentage: number }[];
        annotations?: Record<string, string>;
      }>();
      const deployment = deploy(account, script, versions, annotations);
      await runner.ready();
      return { result: showDeployment(deployment) };
    },
  ],
  [
    "GET /workers/scripts/:/settings",
    ({ account }, { params: [name = ""] }) => {
      const script = account.script(name);
      const latest = latestOf(script);
      return {
        result: {
          bindings: latest.bindings.map(shown),
          compatibility_date: latest.compatibilityDate,
          compatibility_flags: latest.compatibilityFlags,
          ...script.settings,
        },
      };
    },
  ],
  [
    "PATCH /workers/scripts/:/script-settings",
    ({ account }, call) => {
      const script = account.script(call.params[0] ?? "");
      Object.assign(script.settings, call.json<object>());
      return { result: script.settings };
    },
  ],
  [
    "GET /workers/scripts/:/secrets",
    ({ account }, { params: [name = ""] }) => ({
      result: latestOf(account.script(name))
        .bindings.filter(({ type }) => type === "secret_text")
        .map(({ name: secret, type }) => ({ name: secret, type })),
    }),
  ],
  [
    "PUT /workers/scripts/:/secrets",
    async (cloud, call) => {
      const { name, text, type } = call.json<{ name: string; text: string; type: string }>();
      await changeSecrets(cloud, cloud.account.script(call.params[0] ?? ""), { [name]: text });
      return { result: { name, type } };
    },
  ],
  [
    "PATCH /workers/scripts/:/secrets-bulk",
    async (cloud, call) => {
      const { secrets } = call.json<{ secrets: Record<string, { text: string } | null> }>();
      const changes = Object.entries(secrets).map(([name, one]) => [name, one?.text ?? null]);
      const script = cloud.account.script(call.params[0] ?? "");
      await changeSecrets(cloud, script, Object.fromEntries(changes));
      return { result: Object.keys(secrets).map((name) => ({ name, type: "secret_text" })) };
    },
  ],
  [
    "DELETE /workers/scripts/:/secrets/:",
    async (cloud, { params: [name = "", secret = ""] }) => {
      await changeSecrets(cloud, cloud.account.script(name), { [secret]: null });
      return {};
    },
  ],
];
