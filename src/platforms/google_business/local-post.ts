import { emptyIfBlank } from "../../core/text.ts";
import type { Post, PublishJob } from "../connector.ts";
import { READABLE_IMAGES } from "./capabilities.ts";
import type { GoogleBusinessSettings } from "./settings.ts";

export type Job = PublishJob<GoogleBusinessSettings>;
type Texts = Pick<Post<GoogleBusinessSettings>, "title" | "description" | "settings">;

interface LocalDate {
  year: number;
  month: number;
  day: number;
}

interface LocalClock {
  hours: number;
  minutes: number;
  seconds: number;
  nanos: number;
}

/** Google takes an interval only with all four fields. */
interface Schedule {
  startDate: LocalDate;
  startTime: LocalClock;
  endDate: LocalDate;
  endTime: LocalClock;
}

export type Topic = "STANDARD" | "EVENT" | "OFFER";

export interface LocalPost {
  languageCode?: string;
  summary: string;
  topicType: Topic;
  callToAction?: { actionType: string; url?: string };
  event?: { title: string; schedule: Schedule };
  offer?: { couponCode?: string; redeemOnlineUrl?: string; termsConditions?: string };
  media?: { mediaFormat: "PHOTO"; sourceUrl: string }[];
}

export const summaryOf = ({ description }: Pick<Texts, "description">): string =>
  emptyIfBlank(description).trim();

export const titleOf = ({ title }: Pick<Texts, "title">): string => emptyIfBlank(title).trim();

export const topicOf = ({ google_business_topic }: GoogleBusinessSettings): Topic =>
  google_business_topic.toUpperCase() as Topic;

/** An offer has dates as an event has them. */
export const hasDates = (settings: GoogleBusinessSettings): boolean =>
  topicOf(settings) !== "STANDARD";

const DAY_START = "00:00:00";
const DAY_END = "23:59:00";

/** As if the business's clock showed UTC. */
export const startOf = (local: string): string =>
  local.includes("T") ? local : `${local}T${DAY_START}`;
export const endOf = (local: string): string =>
  local.includes("T") ? local : `${local}T${DAY_END}`;

const numbersOf = (text: string): number[] => text.split(/[-:]/).map(Number);

function split(local: string): [date: LocalDate, time: LocalClock] {
  const [day = "", clock = ""] = local.split("T");
  const [year = 0, month = 0, date = 0] = numbersOf(day);
  const [hours = 0, minutes = 0, seconds = 0] = numbersOf(clock);
  return [
    { year, month, day: date },
    { hours, minutes, seconds, nanos: 0 },
  ];
}

function eventOf({ settings, ...post }: Texts): Pick<LocalPost, "event"> {
  if (!hasDates(settings)) return {};
  const [startDate, startTime] = split(startOf(settings.google_business_event_start ?? ""));
  const [endDate, endTime] = split(endOf(settings.google_business_event_end ?? ""));
  return { event: { title: titleOf(post), schedule: { startDate, startTime, endDate, endTime } } };
}

function offerOf(settings: GoogleBusinessSettings): Pick<LocalPost, "offer"> {
  if (topicOf(settings) !== "OFFER") return {};
  const {
    google_business_coupon_code: couponCode,
    google_business_redeem_url: redeemOnlineUrl,
    google_business_terms: termsConditions,
  } = settings;
  return {
    offer: {
      ...(couponCode === null ? {} : { couponCode }),
      ...(redeemOnlineUrl === null ? {} : { redeemOnlineUrl }),
      ...(termsConditions === null ? {} : { termsConditions }),
    },
  };
}

function actionOf(settings: GoogleBusinessSettings): Pick<LocalPost, "callToAction"> {
  const { google_business_action: action, google_business_action_url: url } = settings;
  if (action === null) return {};
  return { callToAction: { actionType: action.toUpperCase(), ...(url === null ? {} : { url }) } };
}

export function toLocalPost(post: Texts): LocalPost {
  const { settings } = post;
  const { google_business_language: languageCode } = settings;
  return {
    ...(languageCode === null ? {} : { languageCode }),
    summary: summaryOf(post),
    topicType: topicOf(settings),
    ...actionOf(settings),
    ...eventOf(post),
    ...offerOf(settings),
  };
}

/** Google downloads the photo during the call. */
export async function withMedia(job: Job): Promise<LocalPost> {
  const media = await Promise.all(
    job.post.media.map(async (item) => ({
      mediaFormat: "PHOTO" as const,
      sourceUrl: await job.mediaUrl(
        item,
        READABLE_IMAGES.includes(item.mime) ? "original" : "jpeg",
      ),
    })),
  );
  return { ...toLocalPost(job.post), ...(media.length > 0 ? { media } : {}) };
}
