import { type Context, Hono } from "hono";
import { AppError } from "../../../core/errors.ts";
import { publicOrigin } from "../../../http/env.ts";
import { readNumericId } from "../../../http/ids.ts";
import { type PageEnv, signedIn } from "../../auth/signed-in.ts";
import {
  BLACK,
  type Colour,
  getLinkAndColor,
  loadCode,
  readColour,
  shortUrlOf,
  toHex,
} from "../../links/own.ts";
import { Choice, Field } from "../form-parts.tsx";
import { TooLight } from "../too-light.tsx";

export const linkCodes = new Hono<PageEnv>();

const SIZES = [256, 512, 1_024, 2_048] as const;
const SIZE = { least: 128, most: 2_048, usual: 512 };

/** @throws AppError 400 */
function readSize(text: string | undefined): number {
  if (text === undefined) return SIZE.usual;
  const size = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (size >= SIZE.least && size <= SIZE.most) return size;
  throw new AppError(null, `A code has a size of ${SIZE.least} to ${SIZE.most} pixels.`);
}

/** Null where none is asked for. @throws AppError 400 */
function readInk(text: string | undefined): Colour | null {
  if (text === undefined) return null;
  const colour = readColour(text);
  if (colour) return colour;
  throw new AppError(null, "Give a colour as six hexadecimal digits, such as 3a46d6.");
}

async function codeOf(c: Context<PageEnv>) {
  const { ctx } = c.var;
  const [size, asked] = [readSize(c.req.query("size")), readInk(c.req.query("colour"))];
  const id = readNumericId(c.req.param("id") ?? "", "Short link");
  const { link, color } = await getLinkAndColor(ctx, id);
  const colour = asked ?? inkIn(color);
  const address = shortUrlOf(ctx.config, publicOrigin(c.var.deps, c.req.url), link);
  return { address, size, colour, ...(await loadCode()) };
}

const HEADERS = {
  "Cache-Control": "private, no-store",
  "Content-Security-Policy": "default-src 'none'",
  "X-Content-Type-Options": "nosniff",
};

linkCodes.get("/app/short-links/:id/qr.svg", signedIn("read:pages"), async (c) => {
  const { codeSvg, address, colour, size } = await codeOf(c);
  return c.body(codeSvg(address, colour, size), 200, {
    ...HEADERS,
    "Content-Type": "image/svg+xml",
  });
});

linkCodes.get("/app/short-links/:id/qr.png", signedIn("read:pages"), async (c) => {
  const { codePng, address, colour, size } = await codeOf(c);
  const png = await codePng(address, colour, size);
  return c.body(await png.arrayBuffer(), 200, { ...HEADERS, "Content-Type": "image/png" });
});

/** The first colour that can be read, else black. */
export const inkIn = (...texts: (string | null | undefined)[]): Colour =>
  texts.map((text) => readColour(text ?? "")).find((colour) => colour !== null) ?? BLACK;

interface CodeProps {
  path: string;
  slug: string;
  colour: Colour;
  size: string;
}

export const Code = ({ path, slug, colour, size }: CodeProps) => {
  const chosen = SIZES.find((one) => String(one) === size) ?? SIZE.usual;
  const ink = toHex(colour).slice(1);
  const file = (type: string) => `${path}/qr.${type}?size=${chosen}&colour=${ink}`;
  return (
    <div class="code">
      <img src={file("svg")} alt={`QR code of ${slug}`} width="192" height="192" />
      <div>
        <form class="row" method="get" action={`${path}#code`}>
          <Field id="colour" label="Colour">
            <input id="colour" name="colour" type="color" value={toHex(colour)} />
          </Field>
          <Choice
            name="size"
            label="Size"
            chosen={String(chosen)}
            options={SIZES.map((one) => [String(one), `${one} × ${one} pixels`])}
          />
          <button class="quiet" type="submit">
            Show it
          </button>
        </form>
        <TooLight colour={colour}>
          , or <a href={`${path}?colour=000000&size=${chosen}#code`}>take black</a>
        </TooLight>
        <p class="row">
          <a class="button" href={file("svg")} download={`${slug}.svg`}>
            Download SVG
          </a>
          <a class="button quiet" href={file("png")} download={`${slug}.png`}>
            Download PNG
          </a>
        </p>
        <p class="muted">Keep the white around the code: cameras need it.</p>
      </div>
    </div>
  );
};
