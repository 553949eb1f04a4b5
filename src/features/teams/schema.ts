import * as z from "zod";
import { MAX_EMAIL_CHARACTERS, toEmail } from "../../core/email.ts";
import { BROKEN_TEXT, isBrokenText } from "../../core/text.ts";
import type { Role } from "../../deps.ts";
import type { InviteRow } from "./repo/invites.ts";
import type { MemberRow, TeamRow } from "./repo/members.ts";

const MAX_NAME = 200;

const role = z.enum(["OWNER", "ADMIN", "MEMBER"]);
const givenRole = z.enum(["ADMIN", "MEMBER"], { error: "must be MEMBER or ADMIN" });
const userId = z.number().int();

export const teamSchema = z
  .object({
    id: z.number().int(),
    name: z.string().max(MAX_NAME),
    slug: z.string(),
    role: role.describe("Your own."),
    joinedAt: z.iso.datetime(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "Team" });

export const memberSchema = z
  .object({
    userId,
    email: z.string(),
    avatarUrl: z.string().nullable(),
    role,
    isActive: z.boolean().describe("Extension: a deactivated member has no access."),
    joinedAt: z.iso.datetime(),
  })
  .meta({ id: "Member" });

export const changedMemberSchema = z
  .object({ userId, role, isActive: z.boolean() })
  .meta({ id: "ChangedMember" });

const invite = {
  id: z.number().int(),
  email: z.string().nullable().describe("Null: everybody who has the link may accept."),
  role: givenRole,
  expiresAt: z.iso.datetime(),
};

export const inviteSchema = z
  .object({
    ...invite,
    token: z.string().describe("Shown this once."),
    inviteLink: z.string().describe("Opens the invite. Shown this once."),
    isMailed: z
      .boolean()
      .describe(
        "Extension: the link goes to the address by mail. False without an address or mail, and where five links were mailed to it within 15 minutes: send it yourself then.",
      ),
  })
  .meta({ id: "Invite" });

export const openInviteSchema = z
  .object({
    ...invite,
    invitedBy: userId.describe("The user who made it."),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: "OpenInvite" });

export const teamChangeSchema = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(MAX_NAME)
      .refine((text) => !isBrokenText(text), BROKEN_TEXT),
  })
  .meta({ id: "TeamChange" });

export const newInviteSchema = z
  .strictObject({
    role: givenRole,
    email: z
      .string()
      .max(MAX_EMAIL_CHARACTERS)
      .refine((text) => toEmail(text) !== null, "must be an e-mail address")
      .transform((text) => toEmail(text) ?? text)
      .optional()
      .describe("Without an address, everybody who has the link may accept."),
  })
  .meta({ id: "NewInvite" });

export type NewInvite = z.output<typeof newInviteSchema>;

export const memberChangeSchema = z
  .strictObject({ role: givenRole.optional(), isActive: z.boolean().optional() })
  .refine(({ role, isActive }) => role !== undefined || isActive !== undefined, {
    error: "Send role, isActive or both.",
  })
  .meta({ id: "MemberChange" });

export type MemberChange = z.output<typeof memberChangeSchema>;

export function toTeam(
  { id, name, slug, createdAt, updatedAt }: TeamRow,
  { role, joinedAt }: { role: Role; joinedAt: Date },
): z.infer<typeof teamSchema> {
  return {
    id,
    name,
    slug,
    role,
    joinedAt: joinedAt.toISOString(),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

export function toMember(row: MemberRow): z.infer<typeof memberSchema> {
  const { userId, email, role, isActive, joinedAt } = row;
  return { userId, email, avatarUrl: null, role, isActive, joinedAt: joinedAt.toISOString() };
}

const addressee = ({ email, isAddressed }: InviteRow) => (isAddressed ? email : null);

export function toInvite(
  row: InviteRow,
  { token, link, isMailed }: { token: string; link: string; isMailed: boolean },
): z.infer<typeof inviteSchema> {
  const { id, role, expiresAt } = row;
  return {
    id,
    email: addressee(row),
    role,
    expiresAt: expiresAt.toISOString(),
    token,
    inviteLink: link,
    isMailed,
  };
}

export function toOpenInvite(row: InviteRow): z.infer<typeof openInviteSchema> {
  const { id, role, invitedBy, createdAt, expiresAt } = row;
  return {
    id,
    email: addressee(row),
    role,
    invitedBy,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  };
}
