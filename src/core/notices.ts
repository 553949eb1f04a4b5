/** Spec is silent on the kinds. */
export const NOTICES = [
  "reviewDecisions",
  "failures",
  "disabledWebhooks",
  "endingLogins",
  "endingDomains",
  "fullDatabase",
] as const;
export type NoticeKind = (typeof NOTICES)[number];
/** Source: spec, "Review", 5. */
export const CHANNELS = ["email", "push", "messaging"] as const;
export type Channel = (typeof CHANNELS)[number];

/** A channel that is missing here is on. */
export type Notifications = Partial<Record<NoticeKind, Partial<Record<Channel, boolean>>>>;

export type AllNotifications = Record<NoticeKind, Record<Channel, boolean>>;

export const isOn = (chosen: Notifications | null, kind: NoticeKind, channel: Channel): boolean =>
  chosen?.[kind]?.[channel] ?? true;

export const allNotifications = (chosen: Notifications | null): AllNotifications =>
  Object.fromEntries(
    NOTICES.map((kind) => [
      kind,
      Object.fromEntries(CHANNELS.map((channel) => [channel, isOn(chosen, kind, channel)])),
    ]),
  ) as AllNotifications;
