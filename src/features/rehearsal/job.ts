import { SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type { Connector, MediaItem, PublishJob } from "../../platforms/connector.ts";
import type { Credentials } from "../../platforms/login.ts";
import type { AccountRow } from "../accounts/table.ts";
import { loginFetch, toPublishAccount, withDeadline } from "../logins/platform-access.ts";
import { fileIsGone, mediaPath, openFile } from "../media/files.ts";
import { type MediaRow, mediaByHash } from "../media/repo.ts";
import type { RehearsalRow } from "./table.ts";

const TRANSFER_MS = 60 * SECOND;

/** For posts that need a title besides the text. */
const TITLE = "Akimbo rehearsal";

/** @throws Error for settings that the connector refuses */
function settingsOf(connector: Connector, raw: Record<string, string>): unknown {
  const { values, errors } = connector.settings.read(raw);
  const [first] = errors;
  if (first) throw new Error(first.message);
  return values;
}

function postOf(connector: Connector, { text, plan }: RehearsalRow, media: MediaItem[]) {
  const { textField, needsTitle } = connector.capabilities;
  return {
    title: textField === "title" ? text : needsTitle ? TITLE : null,
    description: textField === "title" ? null : text,
    media,
    settings: settingsOf(connector, plan?.settings ?? {}),
  };
}

async function sampleOf(deps: Deps, { teamId, sampleSha256 }: RehearsalRow): Promise<MediaRow[]> {
  if (sampleSha256 === null) return [];
  const [files] = await deps.db.run([mediaByHash({ teamId, sha256: sampleSha256 })]);
  return files;
}

/** @param origin the instance's address, from which platforms download files */
export async function createJob(
  deps: Deps,
  connector: Connector,
  row: RehearsalRow,
  account: AccountRow,
  credentials: Credentials,
  origin: string,
): Promise<PublishJob> {
  const files = await sampleOf(deps, row);
  const network = loginFetch(deps, account, credentials);
  const fileOf = ({ sha256 }: MediaItem): MediaRow => {
    const file = files.find((one) => one.sha256 === sha256);
    if (!file) throw fileIsGone();
    return file;
  };
  const readMedia: PublishJob["readMedia"] = async (item, range) =>
    (await openFile(deps, fileOf(item), range)).body;
  return {
    post: postOf(connector, row, files),
    account: toPublishAccount(account),
    accessToken: credentials.accessToken,
    uploadId: row.id,
    attempt: 1,
    ...(row.plan?.isHidden ? { isHidden: true } : {}),
    now: deps.now,
    fetch: withDeadline(network, connector.timing.callSeconds * SECOND),
    readMedia,
    transfer: async (item, toRequest) =>
      withDeadline(network, TRANSFER_MS)(toRequest(await readMedia(item))),
    mediaUrl: async (item, form = "original") =>
      (deps.config.publicUrl ?? origin) + (await mediaPath(deps, row.teamId, item.sha256, form)),
    inspectVideo: async (item) => {
      const { inspectVideo } = await import("../media/inspect.ts");
      return inspectVideo(deps, fileOf(item), item);
    },
  };
}
