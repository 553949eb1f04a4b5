import type { System } from "./evaluate.ts";

export interface AppLinks {
  app: string;
  web: string;
}

interface App {
  hosts: readonly string[];
  android: string;
  ios(url: URL, parts: readonly string[]): string | null;
}

const encode = encodeURIComponent;
const pathOf = ({ pathname, search }: URL): string => `${pathname.slice(1)}${search}`;
const handleOf = (part = ""): string => encode(part.replace(/^@/, ""));

/**
 * Apart from the connectors, because a link may lead to any site. Source: the apps' web addresses and registered URL
 * schemes.
 */
const APPS: readonly App[] = [
  {
    hosts: ["tiktok.com"],
    android: "com.zhiliaoapp.musically",
    ios: (_, [, kind, id]) =>
      kind === "video" && /^\d+$/.test(id ?? "") ? `snssdk1233://aweme/detail/${id}` : null,
  },
  {
    hosts: ["instagram.com"],
    android: "com.instagram.android",
    ios: (_, [first = "", second = ""]) => {
      if (["p", "reel", "tv"].includes(first)) {
        const id = mediaId(second);
        return id === null ? null : `instagram://media?id=${id}`;
      }
      return /^[\w.]+$/.test(first) ? `instagram://user?username=${first}` : null;
    },
  },
  {
    hosts: ["facebook.com", "fb.com"],
    android: "com.facebook.katana",
    ios: (url) => `fb://facewebmodal/f?href=${encode(url.href)}`,
  },
  {
    hosts: ["youtube.com", "youtu.be"],
    android: "com.google.android.youtube",
    ios: (url) => `youtube://${url.host}/${pathOf(url)}`,
  },
  {
    hosts: ["linkedin.com"],
    android: "com.linkedin.android",
    ios: (url, [first]) => (first ? `linkedin://${pathOf(url)}` : null),
  },
  {
    hosts: ["pinterest.com"],
    android: "com.pinterest",
    ios: (_, [first = "", second]) => {
      if (first === "pin") return second ? `pinterest://pin/${encode(second)}` : null;
      if (!first) return null;
      return second
        ? `pinterest://board/${encode(first)}/${encode(second)}`
        : `pinterest://user/${encode(first)}`;
    },
  },
  {
    hosts: ["bsky.app"],
    android: "xyz.blueskyweb.app",
    ios: (url, [first]) => (first ? `bluesky://${pathOf(url)}` : null),
  },
  {
    hosts: ["threads.net", "threads.com"],
    android: "com.instagram.barcelona",
    ios: (_, [first = "", kind, code]) => {
      if (kind === "post" && code) return `barcelona://media?shortcode=${encode(code)}`;
      return first.startsWith("@") ? `barcelona://user?username=${handleOf(first)}` : null;
    },
  },
  {
    hosts: ["x.com", "twitter.com"],
    android: "com.twitter.android",
    ios: (_, [first = "", kind, id]) => {
      if (kind === "status" && /^\d+$/.test(id ?? "")) return `twitter://status?id=${id}`;
      return /^\w{1,15}$/.test(first) ? `twitter://user?screen_name=${first}` : null;
    },
  },
  {
    hosts: ["t.me", "telegram.me"],
    android: "org.telegram.messenger",
    ios: (_, [first = "", second = "", third]) => {
      if (first === "c") {
        const isPost = /^\d+$/.test(second) && /^\d+$/.test(third ?? "");
        return isPost ? `tg://privatepost?channel=${second}&post=${third}` : null;
      }
      if (!/^[a-z]\w{3,31}$/i.test(first)) return null;
      const post = /^\d+$/.test(second) ? `&post=${second}` : "";
      return `tg://resolve?domain=${first}${post}`;
    },
  },
  {
    hosts: ["discord.com"],
    android: "com.discord",
    ios: (url, [first]) => (first === "channels" ? `discord://-/${pathOf(url)}` : null),
  },
];

const SHORTCODE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const MAX_SHORTCODE = 11;

/** An Instagram shortcode is base 64. Returns null for anything else. */
function mediaId(code: string): bigint | null {
  if (code.length === 0 || code.length > MAX_SHORTCODE) return null;
  let id = 0n;
  for (const character of code) {
    const digit = SHORTCODE.indexOf(character);
    if (digit < 0) return null;
    id = id * 64n + BigInt(digit);
  }
  return id;
}

const isOn = (host: string, name: string): boolean => host === name || host.endsWith(`.${name}`);

/**
 * Returns null when the visitor's system has no app for the destination. On Android, the browser opens the destination
 * when the app is missing.
 *
 * @see https://developer.chrome.com/docs/android/intents
 */
export function appLinksOf(destination: string, system: System | null): AppLinks | null {
  if (system !== "ios" && system !== "android") return null;
  const url = new URL(destination);
  const app = APPS.find(({ hosts }) => hosts.some((name) => isOn(url.hostname, name)));
  if (!app) return null;
  if (system === "android") {
    const intent = `scheme=https;package=${app.android};S.browser_fallback_url=${encode(url.href)};end`;
    return {
      app: `intent://${url.host}${url.pathname}${url.search}#Intent;${intent}`,
      web: url.href,
    };
  }
  const parts = url.pathname.split("/").filter(Boolean);
  const own = app.ios(url, parts);
  return own === null ? null : { app: own, web: url.href };
}
