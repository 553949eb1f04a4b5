import assert from "node:assert/strict";
import { test } from "node:test";
import { writeFiles } from "../../src/python/generate.ts";
import type { DocumentedOperation, Schema } from "../../src/python/generator/document.ts";

const SCHEMAS: Record<string, Schema> = {
  Post: {
    type: "object",
    properties: {
      id: { type: "integer", description: "Its number." },
      text: { type: ["string", "null"] },
      slot: { anyOf: [{ $ref: "#/components/schemas/Slot" }, { type: "null" }] },
    },
    required: ["id", "text"],
  },
  Slot: { type: "object", properties: { from: { type: "string" } }, required: ["from"] },
  NewPost: {
    anyOf: [
      {
        type: "object",
        properties: { at: { type: "string", format: "date-time" } },
        required: ["at"],
      },
      {
        type: "object",
        properties: { photo: { type: "array", items: { type: "string", format: "binary" } } },
      },
    ],
  },
};

const answers = (schema: Schema): Pick<DocumentedOperation, "responses"> => ({
  responses: { "200": { content: { "application/json": { schema } } } },
});

const envelope = (properties: Record<string, Schema>): Schema => ({
  type: "object",
  properties: { success: { type: "boolean", enum: [true] }, ...properties },
  required: ["success", ...Object.keys(properties)],
});

const POST = { $ref: "#/components/schemas/Post" };

const create: DocumentedOperation = {
  operationId: "createPost",
  tags: ["Posts"],
  summary: "Make a post",
  parameters: [
    { $ref: "#/components/parameters/IdempotencyKey" } as never,
    { name: "async", in: "query", schema: { type: "boolean" } },
  ],
  requestBody: {
    content: { "multipart/form-data": { schema: { $ref: "#/components/schemas/NewPost" } } },
  },
  ...answers(envelope({ data: POST })),
};

const list: DocumentedOperation = {
  operationId: "listPosts",
  tags: ["Posts"],
  summary: "List posts",
  ...answers(envelope({ data: { type: "array", items: POST }, hasMore: { type: "boolean" } })),
};

const write = (...operations: DocumentedOperation[]) =>
  writeFiles({
    paths: Object.fromEntries(operations.map((one, i) => [`/posts/${i}`, { post: one }])),
    components: { schemas: SCHEMAS },
  });

const has = (text: string | undefined, ...parts: string[]) => {
  for (const part of parts) assert.ok(text?.includes(part), `${part} is not in\n${text}`);
};

test("shapes: null, optional fields, words of the language, and bodies that have several forms", () => {
  has(
    write(create)["types.py"],
    'class Post(TypedDict):\n    id: int\n    """Its number."""\n    text: Union[str, None]\n',
    "    slot: NotRequired[Union[Slot, None]]\n",
    '"from": "str"',
    "class NewPost(TypedDict):\n    at: NotRequired[Time]\n    photo: NotRequired[Sequence[File]]\n",
  );
});

test("operations: one description for both clients, whose answer is what the envelope holds", () => {
  const files = write(create, list);
  has(
    files["operations.py"],
    'CREATE_POST: "Operation[Post]" = Operation(\n    name="posts.create",',
    'body="form",\n    fields=frozenset(("at", "photo",)),\n    repeated=frozenset(("photo",)),\n    takes_key=True,\n    unwraps="data",',
    'LIST_POSTS: "Operation[ListPostsAnswer]"',
  );
  has(
    files["groups.py"],
    "class PostsCalls(Group):\n    def create(\n        self,\n        *,\n        async_: Optional[bool] = None,\n        idempotency_key: Optional[str] = None,\n        **fields: Unpack[NewPost]\n    ) -> Post:",
    'query={"async": async_},',
  );
  has(files["async_groups.py"], "    async def create(", "return await self._send(");
});

test("two operations of one name are refused", () => {
  assert.throws(() => write(create, { ...create, operationId: "createPosts" }), /posts\.create/);
});
