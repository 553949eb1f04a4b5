import type { Command } from "commander";
import type { UnpublishedUpload } from "./api.ts";
import {
  addClientCommand,
  type ClientOptions,
  inWordsOf,
  openApi,
  type Setting,
  show,
  withJson,
} from "./client-command.ts";
import { retrying } from "./retry.ts";
import { toId } from "./status-command.ts";

const HELP = `
Example:
  akimbo unpublish 12

It ends at the first post that cannot be taken down, and says what it took down before and what to do by hand.`;

export function addUnpublishCommand(program: Command, setting: Setting): void {
  withJson(addClientCommand(program, "unpublish"))
    .description("deletes published posts at their platforms, for good")
    .argument("<post...>", "numbers of posts")
    .addHelpText("after", inWordsOf(setting, HELP))
    .action(async (posts: string[], options: ClientOptions) => {
      const ids = posts.map(toId);
      const api = await openApi(options, setting);
      const unpublished: UnpublishedUpload[] = [];
      try {
        for (const id of ids) unpublished.push(await retrying(() => api.unpublishUpload(id)));
      } finally {
        if (unpublished.length > 0) {
          show(options, unpublished, () =>
            unpublished.map(({ id, message }) => `${id}: ${message}`).join("\n"),
          );
        }
      }
    });
}
