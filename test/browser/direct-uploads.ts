import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { createGradientPng } from "../../src/cli/png.ts";
import { SAMPLE_VIDEO_BASE64 } from "../../src/cli/sample-video.ts";
import type { Akimbo } from "../peers/akimbo.ts";
import { localSigner } from "../support/bucket-key.ts";
import { openContext } from "./context.ts";
import { SCRIPTED, type Site } from "./site.ts";
import { type Step, walk } from "./steps.ts";

interface Visit {
  akimbo: Akimbo;
  site: Site;
  /** For the files that are uploaded. */
  folder: string;
}

interface Addresses {
  bucketUrl: string;
  accessUrl: string;
}
type Whole = Addresses & { uploadUrl: string; uploadHeaders: Record<string, string> };
type InParts = Addresses & { multipart: object };

const FILM_BYTES = 40_000_000;
const PHOTO = { width: 320, height: 200, from: [58, 70, 214], to: [240, 200, 120] } as const;

/**
 * Lets a page of another site put a film in parts and a photo whole, shows both there, publishes them, and
 * opens files with scripts in them. Each step that failed, in words.
 */
export async function checkDirectUploads(browser: Browser, visit: Visit): Promise<string[]> {
  const context = await openContext(browser);
  const page = await context.newPage();
  const problems = await walk(page, [
    ...(await filmSteps(page, visit)),
    ...(await photoSteps(page, visit)),
    ...scriptSteps(page, visit),
  ]);
  await context.close();
  return problems;
}

async function presign<T>({ akimbo }: Visit, route: string, type: string, size: number) {
  const { status, body } = await akimbo.call<{ files: T[] }>("POST", "/upload/presign", {
    route,
    files: [{ name: "a file", size, type }],
  });
  const [file] = body.files ?? [];
  if (!file) throw new Error(`Presigning was answered ${status}: ${JSON.stringify(body)}`);
  return file;
}

/** Calls a function of the page that uploads. */
const callPage = (page: Page, name: string, value: object | string): Promise<void> =>
  page.evaluate(`${name}(${JSON.stringify(value)})`);

async function accountOn({ akimbo }: Visit, platform: string): Promise<string> {
  const wanted = { platform, sandbox: true, name: "Uploaded by a page" };
  const { body } = await akimbo.call<{ data: { id: string } }>("POST", "/accounts", wanted);
  return body.data.id;
}

/** The sample video, made longer by a box that players skip. */
function createFilm(): Buffer {
  const video = Buffer.from(SAMPLE_VIDEO_BASE64, "base64");
  const box = randomBytes(FILM_BYTES - video.length);
  box.writeUInt32BE(box.length);
  box.write("free", 4, "latin1");
  return Buffer.concat([video, box]);
}

async function filmSteps(page: Page, visit: Visit): Promise<Step[]> {
  const path = join(visit.folder, "film.mp4");
  await writeFile(path, createFilm());
  const presignFilm = () => presign<InParts>(visit, "youtube_videos", "video/mp4", FILM_BYTES);
  let film: InParts;
  const ranges: number[] = [];
  return [
    {
      name: "a page uploads a film in parts",
      shows: "3 parts: 200 <?xml",
      act: async () => {
        await page.goto(`${visit.site.origin}/uploader`);
        await page.getByLabel("File").setInputFiles(path);
        film = await presignFilm();
        await callPage(page, "putParts", film.multipart);
      },
    },
    {
      name: "the film is published",
      shows: "3 parts: 200",
      act: async () => {
        const accountId = await accountOn(visit, "youtube");
        const video = film.bucketUrl;
        await visit.akimbo.publish({ accountId, title: "A film from a page", video });
      },
    },
    {
      name: "the page shows the film",
      shows: "720 pixels wide, 4 seconds long",
      act: async () => {
        page.on("response", (answer) => {
          if (answer.url() === film.accessUrl) ranges.push(answer.status());
        });
        await callPage(page, "showVideo", film.accessUrl);
        if (ranges.length === 0 || ranges.some((status) => status !== 206)) {
          throw new Error(`Ranges of it were answered ${ranges.join(", ") || "never"}.`);
        }
      },
    },
    {
      name: "the film plays in a tab of its own",
      shows: "720 pixels wide",
      act: async () => {
        const tab = await page.context().newPage();
        await tab.goto(film.accessUrl);
        await tab.waitForFunction("document.querySelector('video').readyState > 1");
        await tab.close();
      },
    },
    {
      name: "the page reads why a list is refused",
      shows: "Refused: 400 <?xml",
      act: async () => {
        film = await presignFilm();
        await callPage(page, "complain", film.multipart);
      },
    },
    {
      name: "the page gives an upload up",
      shows: "Given up: 204",
      act: () => callPage(page, "abort", film.multipart),
    },
  ];
}

async function photoSteps(page: Page, visit: Visit): Promise<Step[]> {
  const path = join(visit.folder, "photo.png");
  const bytes = createGradientPng(PHOTO);
  await writeFile(path, bytes);
  let photo: Whole;
  return [
    {
      name: "a page uploads a photo",
      shows: 'Put: 200 "',
      act: async () => {
        await page.getByLabel("File").setInputFiles(path);
        photo = await presign<Whole>(visit, "photos", "image/png", bytes.length);
        await callPage(page, "put", photo);
      },
    },
    {
      name: "the page shows the photo, and reads it",
      shows: `320 pixels wide, red ${PHOTO.from[0]}, 206 bytes 0-3/${bytes.length}`,
      act: () => callPage(page, "showPicture", photo.accessUrl),
    },
    {
      name: "the photo is published",
      shows: "320 pixels wide",
      act: async () => {
        const accountId = await accountOn(visit, "bluesky");
        const description = "A photo from a page";
        await visit.akimbo.publish({ accountId, description, photo: photo.accessUrl });
      },
    },
    {
      name: "nothing is put in the photo's place",
      shows: "Put: 412",
      act: () => callPage(page, "put", photo),
    },
  ];
}

const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><script>location.hash = "ran"</script></svg>`;

/** Files of a stranger's making, by the type that they were declared with or that storage holds them under. */
const HOSTILE: readonly [string, string, "declared" | "stored"][] = [
  ["image/png", SCRIPTED, "declared"],
  ["text/html", SCRIPTED, "stored"],
  ["application/xhtml+xml", SVG, "stored"],
  ["image/svg+xml", SVG, "stored"],
];

function scriptSteps(page: Page, visit: Visit): Step[] {
  const uploaded = async (type: string, text: string, way: "declared" | "stored") => {
    const bytes = new TextEncoder().encode(text);
    const file = await presign<Whole>(visit, "photos", "image/png", bytes.length);
    const key = new URL(file.accessUrl).pathname.slice("/files/".length);
    const target =
      way === "declared"
        ? file
        : await localSigner(visit.akimbo.origin).putObject(key, {
            sizeBytes: bytes.length,
            mime: type,
          });
    const { "content-length": _, ...headers } = target.uploadHeaders as Record<string, string>;
    const put = await fetch(target.uploadUrl, { method: "PUT", headers, body: bytes });
    if (!put.ok) throw new Error(`Putting ${type} was answered ${put.status}.`);
    return file.accessUrl;
  };
  const opened = async (address: string): Promise<string> => {
    const other = await page.context().newPage();
    await other.goto(address);
    const url = other.url();
    await other.close();
    return url;
  };
  return [
    {
      name: "a script of another page's own runs, as a check of what follows",
      shows: "Put: 412",
      act: async () => {
        const url = await opened(`${visit.site.origin}/scripted`);
        if (!url.endsWith("#ran")) throw new Error(`It is at ${url}`);
      },
    },
    ...HOSTILE.map(
      ([type, text, way]): Step => ({
        name: `a script in a file that is ${way} as ${type}`,
        shows: "Put: 412",
        act: async () => {
          const address = await uploaded(type, text, way);
          const url = await opened(address);
          if (url !== address) throw new Error(`It ran: ${url}`);
        },
      }),
    ),
    {
      name: "a file taken for a script",
      shows: "The script did not run.",
      act: async () => {
        const address = await uploaded("image/png", "location.hash = 'ran'", "declared");
        await callPage(page, "runScript", address);
      },
    },
  ];
}
