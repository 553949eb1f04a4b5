import { type IDataObject, type IExecuteFunctions, NodeOperationError } from "n8n-workflow";
import { withOffset } from "../shared/dates.ts";
import { appendFiles, readSettings, textsIn } from "../shared/files.ts";
import { contentOf, fieldsOf, filled, type Resource, textOf } from "../shared/operation.ts";
import { listPages } from "../shared/pages.ts";
import { readPost, readWaitOptions, toSimplePost, waitForPosts } from "../shared/posts.ts";
import { callApi, keyOf } from "../shared/transport.ts";
import { postFields } from "./post-fields.ts";

function accountIdsOf(node: IExecuteFunctions, itemIndex: number): string[] {
  const value = node.getNodeParameter("accountIds", itemIndex) as unknown;
  const ids = textsIn(typeof value === "string" ? value.split(",") : value);
  if (ids.length > 0) return [...new Set(ids)];
  throw new NodeOperationError(node.getNode(), "'Account Names or IDs' is empty", {
    itemIndex,
    description: "Choose at least one account.",
  });
}

/** The fields that both calls take; the caller adds the accounts. */
async function readForm(
  node: IExecuteFunctions,
  itemIndex: number,
  videoField?: string,
): Promise<FormData> {
  const fields = fieldsOf(node, "additionalFields", itemIndex);
  const thread = textsIn(fields.thread);
  const date = String(fields.scheduleDate ?? "");
  const form = new FormData();
  const values = filled({
    ...readSettings(node, itemIndex, fields),
    title: textOf(node, "title", itemIndex),
    description: textOf(node, "description", itemIndex),
    schedule_date: date && withOffset(date, node.getTimezone()),
    status: fields.status,
    first_comment: fields.firstComment,
    thread: thread.length > 0 ? JSON.stringify(thread) : "",
    thread_marks: fields.threadMarks ? "true" : "",
    thumbnail_url: fields.thumbnailUrl,
  });
  for (const [name, value] of Object.entries(values)) form.append(name, String(value));
  await appendFiles(node, itemIndex, form, fields, videoField);
  return form;
}

function copyOf(form: FormData): FormData {
  const copy = new FormData();
  form.forEach((value, name) => {
    copy.append(name, value as string);
  });
  return copy;
}

/** One call for each account: a repetition goes on with the accounts that were refused, and leaves the others alone. */
async function createPosts(node: IExecuteFunctions, itemIndex: number): Promise<IDataObject[]> {
  const accountIds = accountIdsOf(node, itemIndex);
  const form = await readForm(node, itemIndex);
  const created: IDataObject[] = [];
  const refusals: { accountId: string; error: Error & { description?: string | null } }[] = [];
  for (const accountId of accountIds) {
    const own = copyOf(form);
    own.append("accountId", accountId);
    try {
      const { data } = await callApi(node, {
        method: "POST",
        path: "/upload",
        form: own,
        idempotencyKey: keyOf(node, itemIndex, accountId),
        itemIndex,
      });
      created.push({ accountId, ...(data as IDataObject) });
    } catch (error) {
      refusals.push({ accountId, error });
    }
  }
  const [first] = refusals;
  if (!first) return created;
  if (accountIds.length === 1) throw first.error;
  throw new NodeOperationError(
    node.getNode(),
    `${refusals.length} of ${accountIds.length} accounts did not take the post`,
    {
      itemIndex,
      description: [
        ...refusals.map(({ accountId, error }) =>
          [`${accountId}: ${error.message}`, error.description].filter(Boolean).join("\n"),
        ),
        created.length > 0
          ? `The others have it (${created.map(({ uploadId }) => `post ${uploadId}`).join(", ")}). Retry this execution for the rest: no account gets the post twice.`
          : "",
      ]
        .filter(Boolean)
        .join("\n"),
    },
  );
}

const warningsOf = ({ warnings }: IDataObject): IDataObject => (warnings ? { warnings } : {});

export const post: Resource = {
  properties: postFields,
  operations: {
    async create(node, itemIndex) {
      const created = await createPosts(node, itemIndex);
      if (!node.getNodeParameter("waitsUntilEnded", itemIndex)) {
        return created.map(({ uploadId, ...rest }) => ({ id: uploadId, ...rest }));
      }
      const options = readWaitOptions(fieldsOf(node, "options", itemIndex));
      const ids = created.map(({ uploadId }) => String(uploadId));
      const posts = await waitForPosts(node, itemIndex, ids, options);
      return posts.map((one, i) => ({ ...one, ...warningsOf(created[i]) }));
    },
    async validate(node, itemIndex) {
      // This call refuses addresses in "video", and knows a video in "photo" by the end of its address.
      const form = await readForm(node, itemIndex, "photo");
      form.append("accounts", JSON.stringify(accountIdsOf(node, itemIndex)));
      const judged = await callApi(node, {
        method: "POST",
        path: "/upload/validate",
        form,
        itemIndex,
      });
      return [contentOf(judged)];
    },
    async get(node, itemIndex) {
      const found = await readPost(node, itemIndex, textOf(node, "postId", itemIndex));
      return [node.getNodeParameter("simplify", itemIndex) ? toSimplePost(found) : found];
    },
    async getAll(node, itemIndex) {
      const filters = filled(fieldsOf(node, "filters", itemIndex));
      for (const name of ["startDate", "endDate"]) {
        if (filters[name]) filters[name] = withOffset(String(filters[name]), node.getTimezone());
      }
      const posts = await listPages(node, itemIndex, "/upload", filters);
      return node.getNodeParameter("simplify", itemIndex) ? posts.map(toSimplePost) : posts;
    },
    async wait(node, itemIndex) {
      const options = readWaitOptions(fieldsOf(node, "options", itemIndex));
      return waitForPosts(node, itemIndex, [textOf(node, "postId", itemIndex)], options);
    },
    async delete(node, itemIndex) {
      const id = encodeURIComponent(textOf(node, "postId", itemIndex));
      await callApi(node, { method: "DELETE", path: `/upload/${id}`, itemIndex });
      return [{ deleted: true }];
    },
  },
};
