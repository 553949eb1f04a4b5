import { type Context, Hono } from "hono";
import { describeBrowser } from "../../core/browsers.ts";
import { CHANNELS, NOTICES } from "../../core/notices.ts";
import { publicOrigin } from "../../http/env.ts";
import { readNumericId } from "../../http/ids.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { BrandStripe, STRIPE_STYLES } from "../../pages/brand.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { PLATFORM_NAMES } from "../../platforms/registry.ts";
import { isInstanceOwner } from "../auth/repo/people.ts";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { databaseSize } from "../health/repo.ts";
import { stateOf } from "../health/rules.ts";
import { exportTeam } from "../leaving/export.ts";
import { deleteTeam } from "../leaving/service.ts";
import { readColour } from "../links/own.ts";
import { removeBrowser, subscribeBrowser } from "../notices/service.ts";
import { LOGO_TOO_LARGE } from "../settings/logo-rules.ts";
import { logoPath } from "../settings/rules.ts";
import { readSettingsBeside, removeLogo, type Settings, storeLogo } from "../settings/service.ts";
import { DatabaseFill } from "./database-fill.tsx";
import { Button, Field, InputField, SubmitLine } from "./form-parts.tsx";
import { Browsers, Chats, NotificationsForm, QuietHoursForms } from "./notice-parts.tsx";
import { doneNotice, NoticeLine, renderOwnPage, Section } from "./parts.tsx";
import { PUSH_SCRIPT } from "./push-routes.ts";
import { attempt, readFields, type Shown } from "./refusals.ts";
import { TooLight } from "./too-light.tsx";

export const settingsPage = new Hono<PageEnv>();

const PATH = "/app/settings";

const DONE_MESSAGES: Record<string, string> = {
  saved: "The settings are saved.",
  color: "The colour is stored.",
  "no-color": "The team has no colour any more.",
  logo: "The logo is stored.",
  "no-logo": "The team has no logo any more.",
  browser: "This browser shows your notices from now on.",
  "no-browser": "The browser gets no notices any more.",
};

settingsPage.get(PATH, signedIn("read:pages"), (c) =>
  show(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

async function change(
  c: Context<PageEnv>,
  toChange: (form: FormData) => object,
  doneOf: (form: FormData) => string = () => "saved",
) {
  const form = await readForm(c);
  const { changeSettings, settingsChangeSchema } = await import("./actions.ts");
  const refused = await attempt(async () =>
    changeSettings(c.var.ctx, readFields(settingsChangeSchema, toChange(form))),
  );
  if (refused) return show(c, { ...refused, sent: form });
  return c.redirect(`${PATH}?done=${doneOf(form)}`, 303);
}

settingsPage.post(PATH, signedIn("write"), (c) =>
  change(c, (form) => ({
    branding: { name: textField(form, "name") || null, link: textField(form, "link") || null },
    zone: textField(form, "zone") || null,
    blocklist: linesOf(form, "blocklist"),
    bannedHashtags: Object.fromEntries(
      [...PLATFORM_NAMES.keys()].map((platform) => [platform, tagsOf(form, platform)]),
    ),
  })),
);

settingsPage.post(`${PATH}/color`, signedIn("write"), (c) =>
  change(
    c,
    (form) => ({ branding: { color: textField(form, "color") || null } }),
    (form) => (textField(form, "color") ? "color" : "no-color"),
  ),
);

settingsPage.post(`${PATH}/approval`, signedIn("write"), (c) =>
  change(c, (form) => ({ requireMemberApproval: form.has("requireMemberApproval") })),
);

settingsPage.post(`${PATH}/notifications`, signedIn("write"), (c) =>
  change(c, (form) => ({
    notifications: Object.fromEntries(
      NOTICES.map((notice) => [
        notice,
        Object.fromEntries(CHANNELS.map((channel) => [channel, form.has(`${notice}.${channel}`)])),
      ]),
    ),
  })),
);

settingsPage.post(`${PATH}/messaging`, signedIn("write"), (c) =>
  change(c, (form) => ({
    messaging: { [textField(form, "whose")]: textField(form, "url") || null },
  })),
);

settingsPage.post(`${PATH}/quiet-hours`, signedIn("write"), (c) =>
  change(c, (form) => {
    const [from, to, timezone] = ["from", "to", "timezone"].map((name) => textField(form, name));
    return { quietHours: { [textField(form, "whose")]: from ? { from, to, timezone } : null } };
  }),
);

settingsPage.post(`${PATH}/push`, signedIn("write"), async (c) => {
  const form = await readForm(c);
  const refused = await attempt(() =>
    subscribeBrowser(c.var.ctx, {
      endpoint: textField(form, "endpoint"),
      keys: { p256dh: textField(form, "p256dh"), auth: textField(form, "auth") },
      label: describeBrowser(c.req.header("user-agent") ?? null),
      origin: publicOrigin(c.var.deps, c.req.url),
    }),
  );
  return refused ? show(c, refused) : c.redirect(`${PATH}?done=browser`, 303);
});

settingsPage.post(`${PATH}/push/:id/remove`, signedIn("destructive"), async (c) => {
  await removeBrowser(c.var.ctx, readNumericId(c.req.param("id"), "Browser"));
  return c.redirect(`${PATH}?done=no-browser`, 303);
});

const linesOf = (form: FormData, name: string): string[] =>
  textField(form, name).split(/\r?\n/).filter(Boolean);

/** Null when the platform's own list applies. */
const tagsOf = (form: FormData, platform: string): string[] | null =>
  form.has(`own.${platform}`)
    ? textField(form, `tags.${platform}`)
        .split(/[\s,]+/)
        .filter(Boolean)
    : null;

settingsPage.post(`${PATH}/logo`, signedIn("write"), async (c) => {
  const refused = await attempt(async () => {
    const file = (await readForm(c, LOGO_TOO_LARGE)).get("logo");
    const bytes = file instanceof File ? await file.arrayBuffer() : new ArrayBuffer(0);
    await storeLogo(c.var.ctx, new Uint8Array(bytes));
  });
  return refused ? show(c, refused) : c.redirect(`${PATH}?done=logo`, 303);
});

settingsPage.post(`${PATH}/logo/remove`, signedIn("destructive"), async (c) => {
  const refused = await attempt(() => removeLogo(c.var.ctx));
  return refused ? show(c, refused) : c.redirect(`${PATH}?done=no-logo`, 303);
});

settingsPage.post(`${PATH}/delete`, signedIn("destructive"), async (c) => {
  const form = await readForm(c);
  const { ctx } = c.var;
  const refused = await attempt(async () => {
    await deleteTeam(ctx, ctx.actor.teamId, textField(form, "confirm"));
  });
  return refused ? show(c, refused) : c.redirect("/sign-in", 303);
});

const EXPORT_LINES = 1_000;

settingsPage.get(`${PATH}/export`, signedIn("read:export"), async (c) => {
  const take = (after?: string) =>
    exportTeam(c.var.ctx, { limit: EXPORT_LINES, ...(after === undefined ? {} : { after }) });
  let page: string | null = await take();
  const encoder = new TextEncoder();
  const lines = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (page === null) return controller.close();
      const last = page.trimEnd().lastIndexOf("\n") + 1;
      const { type, after } = JSON.parse(page.slice(last)) as { type: string; after?: string };
      // Leaves out the last line: the next page's cursor.
      controller.enqueue(encoder.encode(type === "end" ? page : page.slice(0, last)));
      page = type === "end" ? null : await take(after);
    },
  });
  return c.body(lines, 200, {
    "Content-Type": "application/x-ndjson",
    "Content-Disposition": 'attachment; filename="akimbo-export.ndjson"',
  });
});

async function show(
  c: Context<PageEnv>,
  { notice, status, sent }: Shown & { sent?: FormData },
): Promise<Response> {
  const { ctx } = c.var;
  const {
    settings,
    beside: [[isOperator = false], size],
  } = await readSettingsBeside(ctx, [isInstanceOwner({ user: ctx.user }), databaseSize(ctx.now())]);
  const { role } = ctx.actor;
  return renderOwnPage(
    c,
    {
      title: "Settings",
      here: PATH,
      status,
      styles: STRIPE_STYLES,
      workerScript: PUSH_SCRIPT,
    },
    <>
      <h1>Settings</h1>
      <NoticeLine notice={notice} />
      {role === "MEMBER" && <p class="muted">The owner and admins change the team's settings.</p>}
      <SettingsForm settings={settings} mayChange={role !== "MEMBER"} sent={sent} />
      <ColorForm settings={settings} mayChange={role !== "MEMBER"} />
      <LogoForm settings={settings} mayChange={role !== "MEMBER"} />
      <ApprovalForm settings={settings} mayChange={role === "OWNER"} />
      <NotificationsForm path={PATH} settings={settings} />
      <Browsers path={PATH} settings={settings} />
      <Chats path={PATH} settings={settings} mayChange={role !== "MEMBER"} />
      <QuietHoursForms path={PATH} settings={settings} mayChange={role !== "MEMBER"} />
      <Section id="apps" title="Apps">
        <p>
          <a href="/app/settings/apps">Let another program offer “Connect Akimbo”</a>, such as n8n,
          Zapier or an app of your own.
        </p>
      </Section>
      <Section id="blocks" title="Text blocks">
        <p>
          <a href="/app/blocks">Texts that posts name</a>, such as a signature or a group of
          hashtags.
        </p>
      </Section>
      <Section id="suggest" title="Suggestions">
        <p>
          <a href="/app/suggestions">Tell the people who run this instance what you miss.</a>
        </p>
      </Section>
      {isOperator && <DatabaseFill state={stateOf(ctx.config, size, ctx.now())} />}
      {role === "OWNER" && <Leaving slug={settings.slug} />}
    </>,
  );
}

interface FormProps {
  settings: Settings;
  mayChange: boolean;
}

const SettingsForm = ({
  settings: { branding, zone, blocklist, bannedHashtags },
  mayChange,
  sent,
}: FormProps & { sent: FormData | undefined }) => {
  const isSent = sent?.has("blocklist") === true;
  const value = (name: string, stored: string | null) =>
    isSent && sent ? textField(sent, name) : (stored ?? "");
  const isOwn = (platform: string) =>
    isSent && sent ? sent.has(`own.${platform}`) : platform in bannedHashtags;
  return (
    <Section id="team" title="Team">
      <TeamForm class="fields" action={PATH}>
        <InputField
          id="name"
          label="Brand name"
          hint="clients see it on review pages; the name and link of the instance's owner stand as contact on /privacy and /terms"
          maxlength={100}
          value={value("name", branding.name)}
          disabled={!mayChange}
        />
        <InputField
          id="link"
          label="Link"
          type="url"
          maxlength={500}
          placeholder="https://"
          value={value("link", branding.link)}
          disabled={!mayChange}
        />
        <InputField
          id="zone"
          label="Time zone"
          hint="such as Europe/Berlin"
          maxlength={64}
          value={value("zone", zone)}
          disabled={!mayChange}
        />
        <Field
          id="blocklist"
          label="Blocklist"
          hint="a word or phrase a line; no post may hold one"
        >
          <textarea id="blocklist" name="blocklist" rows={4} disabled={!mayChange}>
            {value("blocklist", blocklist.join("\n"))}
          </textarea>
        </Field>
        <fieldset disabled={!mayChange}>
          <legend>Banned hashtags</legend>
          <p class="hint">A list of your own takes the place of the platform's.</p>
          {[...PLATFORM_NAMES].map(([platform, name]) => (
            <div>
              <label>
                <input type="checkbox" name={`own.${platform}`} checked={isOwn(platform)} />
                Own list for {name}
              </label>
              <input
                name={`tags.${platform}`}
                aria-label={`Banned hashtags on ${name}`}
                value={value(`tags.${platform}`, (bannedHashtags[platform] ?? []).join(", "))}
              />
            </div>
          ))}
        </fieldset>
        {mayChange && <SubmitLine>Save</SubmitLine>}
      </TeamForm>
    </Section>
  );
};

const ColorForm = ({ settings: { branding }, mayChange }: FormProps) => {
  const { color } = branding;
  const colour = color === null ? null : readColour(color);
  return (
    <Section id="color-title" title="Colour">
      <BrandStripe color={color} />
      <p>
        {color === null ? "The team has no colour." : `The team's colour is ${color}.`} QR codes of{" "}
        <a href="/app/short-links">short links</a> are in it, or black without one, and the pages
        for clients have a stripe in it.
      </p>
      {colour && (
        <TooLight colour={colour}>
          {" "}
          here, or another one for each code: the stripe stays as it is
        </TooLight>
      )}
      {mayChange && (
        <TeamForm class="fields" action={`${PATH}/color`}>
          <InputField id="color" label="Colour" type="color" value={color ?? "#000000"} />
          <SubmitLine>Store the colour</SubmitLine>
        </TeamForm>
      )}
      {mayChange && color !== null && (
        <TeamForm action={`${PATH}/color`}>
          <input type="hidden" name="color" value="" />
          <Button tone="danger">Remove the colour</Button>
        </TeamForm>
      )}
    </Section>
  );
};

const LogoForm = ({ settings: { branding }, mayChange }: FormProps) => (
  <Section id="logo-title" title="Logo">
    {branding.logo ? (
      <img src={logoPath(branding.logo)} alt="The team's logo" height={80} />
    ) : (
      <p>The team has no logo.</p>
    )}
    {mayChange && (
      <TeamForm class="fields" action={`${PATH}/logo`} enctype="multipart/form-data">
        <InputField
          id="logo"
          label="Image"
          hint="PNG, JPEG, WebP or SVG, up to 150 KB"
          type="file"
          accept=".png,.jpg,.jpeg,.webp,.svg"
          required
        />
        <SubmitLine>Store the logo</SubmitLine>
      </TeamForm>
    )}
    {mayChange && branding.logo && (
      <TeamForm action={`${PATH}/logo/remove`}>
        <Button tone="danger">Remove the logo</Button>
      </TeamForm>
    )}
  </Section>
);

const ApprovalForm = ({ settings: { requireMemberApproval }, mayChange }: FormProps) => (
  <Section id="approval" title="Approval">
    <TeamForm class="fields" action={`${PATH}/approval`}>
      <label>
        <input
          type="checkbox"
          name="requireMemberApproval"
          checked={requireMemberApproval}
          disabled={!mayChange}
        />
        Posts of members wait for approval
      </label>
      {mayChange ? <SubmitLine>Save</SubmitLine> : <p class="hint">Only the owner changes this.</p>}
    </TeamForm>
  </Section>
);

const Leaving = ({ slug }: { slug: string }) => (
  <>
    <Section id="export" title="Take your data along">
      <p>The team, its people, accounts without their logins, posts and events: one line each.</p>
      <p>
        <a class="button quiet" href={`${PATH}/export`} download>
          Download
        </a>
      </p>
    </Section>
    <Section id="delete" title="Delete the team">
      <p>
        Everything of the team is deleted, planned posts are not published, and your own account is
        closed too. Nothing can be restored.
      </p>
      <TeamForm class="fields" action={`${PATH}/delete`}>
        <div>
          <label for="confirm">
            Type <code>{slug}</code> to confirm
          </label>
          <input id="confirm" name="confirm" autocomplete="off" required />
        </div>
        <p>
          <Button tone="danger">Delete the team for good</Button>
        </p>
      </TeamForm>
    </Section>
  </>
);
