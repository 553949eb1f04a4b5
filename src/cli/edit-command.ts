import type { Command } from "commander";
import {
  addClientCommand,
  type ClientOptions,
  collect,
  inWordsOf,
  openApi,
  type Setting,
  show,
  toInstantText,
  withJson,
} from "./client-command.ts";
import { Misuse } from "./program.ts";
import { retrying } from "./retry.ts";
import { toId } from "./status-command.ts";

const HELP = `
Examples:
  akimbo edit 12 --description "A better text"
  akimbo edit 12 --comment ""

It changes the text of a published post where the platform allows it. An empty value takes a text off.`;

interface EditOptions extends ClientOptions {
  title?: string;
  description?: string;
  at?: string;
  thread?: string[];
  threadMarks?: boolean;
  comment?: string;
}

function toEdit({ title, description, at, thread, threadMarks, comment }: EditOptions) {
  const [only] = thread ?? [];
  const isText = thread?.length === 1 && (only === "auto" || only === "");
  const edit = {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(at === undefined ? {} : { scheduledFor: at }),
    ...(thread === undefined ? {} : { thread: isText ? only : thread }),
    ...(threadMarks ? { thread_marks: true } : {}),
    ...(comment === undefined ? {} : { first_comment: comment }),
  };
  if (Object.keys(edit).length === 0) throw new Misuse("Name what to change; see --help.");
  return edit;
}

export function addEditCommand(program: Command, setting: Setting): void {
  withJson(addClientCommand(program, "edit"))
    .description("edits a post, or the text of a published one")
    .argument("<post>", "number of the post")
    .option("--title <text>", "its title")
    .option("--description <text>", "its text")
    .option("--at <date>", "its date: ISO 8601 with an offset", toInstantText)
    .option("--thread <text>", "a further post of its thread; repeat it, or auto", collect)
    .option("--thread-marks", "ends each post of the thread with its number, as 1/5")
    .option("--comment <text>", "its first comment")
    .addHelpText("after", inWordsOf(setting, HELP))
    .action(async (post: string, options: EditOptions) => {
      const id = toId(post);
      const edit = toEdit(options);
      const api = await openApi(options, setting);
      const edited = await retrying(() => api.editUpload(id, edit));
      show(options, edited, () => `${id}: ${edited.message ?? `edited, ${edited.status}`}`);
    });
}
