import { CHANNELS, type Channel, NOTICES, type NoticeKind } from "../../core/notices.ts";
import { TeamForm } from "../../pages/team-form.tsx";
import { Day } from "../../pages/times.tsx";
import type { Settings } from "../settings/service.ts";
import { Button, SubmitLine } from "./form-parts.tsx";
import { Section } from "./parts.tsx";

const NOTICE_NAMES: Record<NoticeKind, string> = {
  reviewDecisions: "Decisions on posts in review",
  failures: "Posts that failed",
  disabledWebhooks: "Webhooks that were switched off",
  endingLogins: "Logins of accounts that end",
  endingDomains: "Domains of short links whose record is missing",
  fullDatabase: "The database of the instance fills up (only its owner is told)",
};

const CHANNEL_NAMES: Record<Channel, string> = {
  email: "E-mail",
  push: "Push",
  messaging: "Messaging",
};

interface Props {
  path: string;
  settings: Settings;
}

export const NotificationsForm = ({ path, settings: { notifications } }: Props) => (
  <Section id="notifications" title="Your notifications">
    <TeamForm class="fields" action={`${path}/notifications`}>
      {NOTICES.map((notice) => (
        <fieldset>
          <legend>{NOTICE_NAMES[notice]}</legend>
          <div class="checks">
            {CHANNELS.map((channel) => (
              <label>
                <input
                  type="checkbox"
                  name={`${notice}.${channel}`}
                  checked={notifications[notice][channel]}
                />
                {CHANNEL_NAMES[channel]}
              </label>
            ))}
          </div>
        </fieldset>
      ))}
      <SubmitLine>Save</SubmitLine>
    </TeamForm>
  </Section>
);

export const Browsers = ({ path, settings: { push } }: Props) => (
  <Section id="push" title="Push">
    <p class="muted">Browsers that show your notices, also while no page of Akimbo is open.</p>
    {push.browsers.length > 0 && (
      <ul class="list">
        {push.browsers.map(({ id, label, error, createdAt }) => (
          <li>
            <span class="grow">
              {label}
              <br />
              <span class="muted">
                Since <Day at={createdAt} />
                {error && `. The last notice was not taken: ${error}`}
              </span>
            </span>
            <TeamForm action={`${path}/push/${id}/remove`}>
              <Button tone="danger" label={`Remove ${label}`}>
                Remove
              </Button>
            </TeamForm>
          </li>
        ))}
      </ul>
    )}
    {push.publicKey === null ? (
      <p>This instance has no keys for push. The person who runs it can add them.</p>
    ) : (
      <>
        <TeamForm id="add-browser" action={`${path}/push`} data-key={push.publicKey} hidden>
          {["endpoint", "p256dh", "auth"].map((name) => (
            <input type="hidden" name={name} />
          ))}
          <button type="submit">Show notices in this browser</button>
        </TeamForm>
        <p id="browser-state" role="status" />
        <p id="no-push" class="muted">
          To add this browser, JavaScript must be on. On an iPhone, add the page to the home screen.
        </p>
      </>
    )}
  </Section>
);

export const Chats = ({ path, settings, mayChange }: Props & { mayChange: boolean }) => (
  <Section id="messaging" title="Messaging">
    <p class="muted">
      The address of an incoming webhook of Slack or Discord, of a Telegram bot (
      <code>{"https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>"}</code>), or of
      another chat that takes Slack's messages. It is kept encrypted and not shown again.{" "}
      <a href="/docs/teams#notices">How to get one</a>.
    </p>
    <Chat path={path} whose="own" title="Your own" chat={settings.messaging.own} mayChange />
    <Chat
      path={path}
      mayChange={mayChange}
      chat={settings.messaging.team}
      whose="team"
      title="The team's, for every notice about it"
    />
  </Section>
);

export const QuietHoursForms = ({ path, settings, mayChange }: Props & { mayChange: boolean }) => (
  <Section id="quiet" title="Quiet hours">
    <p class="muted">Notices wait until these hours are over.</p>
    <Quiet path={path} whose="own" title="Yours" settings={settings} />
    {mayChange && <Quiet path={path} whose="team" title="The team's chat" settings={settings} />}
  </Section>
);

const Quiet = ({ path, whose, title, settings }: Props & Pick<ChatProps, "whose" | "title">) => {
  const hours = settings.quietHours[whose];
  return (
    <>
      <h3>{title}</h3>
      <TeamForm class="row" action={`${path}/quiet-hours`}>
        <input type="hidden" name="whose" value={whose} />
        <label>
          From
          <input name="from" type="time" required value={hours?.from ?? "22:00"} />
        </label>
        <label>
          To
          <input name="to" type="time" required value={hours?.to ?? "07:00"} />
        </label>
        <label>
          Time zone
          <input name="timezone" required maxlength={64} value={hours?.timezone ?? settings.zone} />
        </label>
        <Button tone="quiet">Save</Button>
      </TeamForm>
      {hours && (
        <TeamForm action={`${path}/quiet-hours`}>
          <input type="hidden" name="whose" value={whose} />
          <Button tone="danger" label={`No quiet hours: ${title}`}>
            None
          </Button>
        </TeamForm>
      )}
    </>
  );
};

interface ChatProps {
  path: string;
  whose: "own" | "team";
  title: string;
  chat: Settings["messaging"]["own"];
  mayChange: boolean;
}

const Chat = ({ path, whose, title, chat, mayChange }: ChatProps) => (
  <>
    <h3>{title}</h3>
    <p>
      {chat ? <code>{chat.address}</code> : "None."}
      {chat?.error && <span class="muted"> The last message was not taken: {chat.error}</span>}
    </p>
    {mayChange && (
      <TeamForm class="row" action={`${path}/messaging`}>
        <input type="hidden" name="whose" value={whose} />
        <label>
          {chat ? "Another address" : "Address"}
          <input name="url" type="url" required maxlength={2_048} placeholder="https://" />
        </label>
        <Button tone="quiet">Save</Button>
      </TeamForm>
    )}
    {mayChange && chat && (
      <TeamForm action={`${path}/messaging`}>
        <input type="hidden" name="whose" value={whose} />
        <Button tone="danger" label={`Remove the address: ${title}`}>
          Remove
        </Button>
      </TeamForm>
    )}
  </>
);
