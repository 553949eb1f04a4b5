import { akimbo, byCall, CREDENTIAL, manually, type Step, workflow } from "./workflows.ts";
import type { World } from "./world.ts";

const DAY_MS = 86_400_000;

const download = (name: string, url: string): Step => ({
  name,
  type: "n8n-nodes-base.httpRequest",
  typeVersion: 4.2,
  parameters: {
    url,
    options: { response: { response: { responseFormat: "file" } } },
  },
});

const postBy =
  (accountId: string) =>
  (name: string, text: string, more: object = {}, settings: object = {}): Step =>
    akimbo(
      name,
      {
        resource: "post",
        operation: "create",
        accountIds: [accountId],
        description: text,
        ...more,
      },
      settings,
    );

/** In the time zone of the workflow, without an offset, as n8n's date field has it. */
const TOMORROW = new Date(Date.now() + DAY_MS).toISOString().slice(0, 19);

function headless(world: World): object {
  const account = world.account("bluesky");
  const post = postBy(account);
  const { files, poolId } = world;
  return workflow("akimbo-headless", [
    manually(),
    post("Published", "From n8n, waited for"),
    post("Planned", "From n8n, later", { additionalFields: { scheduleDate: TOMORROW } }),
    akimbo("Read", { resource: "post", operation: "get", postId: "={{ $json.id }}" }),
    akimbo("Valid", {
      resource: "post",
      operation: "validate",
      accountIds: [account],
      description: "x".repeat(301),
    }),
    download("Picture", `${files.origin}/picture.png`),
    post("With picture", "From n8n, with a picture", {
      additionalFields: {
        binaryFields: "data",
        altTexts: ["A gradient"],
        thread: ["The second"],
        settings: { setting: [{ name: "bluesky_langs", value: "en" }] },
      },
    }),
    download("Picture again", `${files.origin}/picture.png`),
    akimbo("Stored", {
      resource: "media",
      operation: "upload",
      binaryField: "data",
      additionalFields: { keep: true, name: "Gradient" },
    }),
    akimbo("Queued", {
      resource: "poolItem",
      operation: "create",
      poolId: { mode: "id", value: poolId },
      title: "From n8n, in a pool",
      additionalFields: { mediaIds: ["={{ $json.mediaId }}"] },
    }),
    akimbo("Queue", {
      resource: "poolItem",
      operation: "getAll",
      poolId: { mode: "id", value: poolId },
      returnAll: true,
    }),
    akimbo("Link", {
      resource: "link",
      operation: "create",
      url: "https://example.com/shop",
      additionalFields: { slug: "from-n8n" },
    }),
    akimbo("Figures", { resource: "analytics", operation: "getOverview", simplify: true }),
    akimbo("Accounts", {
      resource: "account",
      operation: "getAll",
      filters: { platform: "youtube" },
    }),
    download("Film", `${files.origin}/film.mp4`),
    akimbo("Film published", {
      resource: "post",
      operation: "create",
      accountIds: "={{ $('Accounts').first().json.id }}",
      title: "A film from n8n",
      additionalFields: { binaryFields: "data" },
      options: { maxWait: 120 },
    }),
  ]);
}

const CONTINUES = { onError: "continueRegularOutput" };
const TRIES_TWICE = { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 };

/** The workflows that are imported before the tests. */
export function flowsOf(world: World): object[] {
  const account = world.account("bluesky");
  const post = postBy(account);
  return [
    headless(world),
    workflow("akimbo-trigger", [
      {
        name: "Trigger",
        type: "n8n-nodes-akimbo.akimboTrigger",
        parameters: { authentication: "accessToken", events: ["upload.completed"] },
        credentials: { akimboApi: { id: CREDENTIAL, name: CREDENTIAL } },
        webhookId: "akimbo-trigger",
      },
    ]),
    workflow("akimbo-repeated", [
      byCall("repeated"),
      post("Half", "From n8n, half of it", { accountIds: [account, "acc_unknown"] }, TRIES_TWICE),
    ]),
    workflow(
      "akimbo-looping",
      [
        byCall("looping", "onReceived"),
        {
          name: "Texts",
          type: "n8n-nodes-base.splitOut",
          parameters: { fieldToSplitOut: "body.texts" },
        },
        {
          name: "Loop",
          type: "n8n-nodes-base.splitInBatches",
          typeVersion: 3,
          parameters: { batchSize: 2 },
        },
        post("Looped", "={{ $json['body.texts'] }}"),
      ],
      "Loop",
    ),
    workflow("akimbo-failing", [
      byCall("failing"),
      post("Failing", "No luck [sandbox:rate_limited]", {}, CONTINUES),
    ]),
    workflow("akimbo-older", [
      byCall("older"),
      akimbo(
        "Older",
        { resource: "media", operation: "getAll", returnAll: true },
        { ...CONTINUES, credentials: { akimboApi: { id: "older", name: "older" } } },
      ),
    ]),
    workflow("akimbo-busy", [
      byCall("busy"),
      akimbo(
        "Busy",
        { resource: "account", operation: "getAll" },
        { credentials: { akimboApi: { id: "busy", name: "busy" } } },
      ),
    ]),
    workflow("akimbo-keyless", [
      byCall("keyless"),
      download("Film", `${world.files.origin}/film.mp4`),
      akimbo(
        "Keyless",
        { resource: "media", operation: "upload", binaryField: "data" },
        { credentials: { akimboApi: { id: "keyless", name: "keyless" } } },
      ),
    ]),
    workflow("akimbo-stranger", [
      byCall("stranger"),
      akimbo(
        "Stranger",
        { resource: "account", operation: "getAll" },
        { ...CONTINUES, credentials: { akimboApi: { id: "stranger", name: "stranger" } } },
      ),
    ]),
  ];
}
