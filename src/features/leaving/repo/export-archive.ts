import { readMember } from "../../archive/members.ts";
import { firstMemberFrom } from "../../archive/repo.ts";
import type { UploadRow } from "../../posts/table.ts";
import type { StoredSection } from "./section.ts";

export const UPLOAD_PROPERTIES = [
  "id",
  "accountId",
  "platform",
  "createdBy",
  "status",
  "title",
  "description",
  "settings",
  "media",
  "fileSize",
  "scheduledFor",
  "createdAt",
  "attempt",
  "uploadedAt",
  "unpublishedAt",
  "failedAt",
  "failureCode",
  "errorMessage",
  "metadata",
  "reviewComment",
  "sortAt",
  "approvedBy",
  "approverId",
  "creditsSpent",
  "creditsRefunded",
] as const satisfies (keyof UploadRow)[];

/** Posts of the archive, member by member. */
export const archivedSection: StoredSection = {
  type: "archivedUpload",
  start: ["", 0, 0, 0],
  async read(ctx, [month, part, byteOffset, line], limit) {
    const from = { month: String(month), part: Number(part), byteOffset: Number(byteOffset) };
    const [[member]] = await ctx.db.run([firstMemberFrom({ team: ctx.team, ...from })]);
    if (!member) return [];
    const isSame =
      member.month === month && member.byteOffset === byteOffset && member.part === part;
    const posts = await readMember(ctx, member);
    const first = isSame ? Number(line) : 0;
    const key = [member.month, member.part, member.byteOffset];
    return posts.slice(first, first + limit).map((post, i) => ({
      // Behind the last line of a member, the next one begins.
      key:
        first + i + 1 < posts.length
          ? [...key, first + i + 1]
          : [member.month, member.part, member.byteOffset + 1, 0],
      data: Object.fromEntries(UPLOAD_PROPERTIES.map((property) => [property, post[property]])),
    }));
  },
};
