/** The kinds of notice that a person may get. Spec is silent on the kinds. */
export const NOTICES = [
  "reviewDecisions",
  "failures",
  "disabledWebhooks",
  "endingLogins",
  "endingDomains",
] as const;
export type NoticeKind = (typeof NOTICES)[number];
/** The ways on which they come. Source: spec, "Review", 5. */
export const CHANNELS = ["email", "push", "messaging"] as const;
export type Channel = (typeof CHANNELS)[number];

type Channels<T> = Partial<Record<Channel, T>>;
type Notices<T> = Partial<Record<NoticeKind, T>>;

/** The channels that a person has switched on or off; one that is not named is on. */
export type Notifications = Notices<Channels<boolean>>;

/** Every channel of every kind of notice. */
export type AllNotifications = Record<NoticeKind, Record<Channel, boolean>>;

/** A channel reaches only those who have set it up, so that none needs to be switched on first. */
export const isOn = (chosen: Notifications | null, kind: NoticeKind, channel: Channel): boolean =>
  chosen?.[kind]?.[channel] ?? true;

export const allNotifications = (chosen: Notifications | null): AllNotifications =>
  Object.fromEntries(
    NOTICES.map((kind) => [
      kind,
      Object.fromEntries(CHANNELS.map((channel) => [channel, isOn(chosen, kind, channel)])),
    ]),
  ) as AllNotifications;
