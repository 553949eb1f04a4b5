import { CallRefused, call } from "./call.ts";
import { startBlocks } from "./compose/blocks.ts";
import { type Content, instantOf, readContent } from "./compose/content.ts";
import { startCounts, updateCounts } from "./compose/counts.ts";
import { offerCopy, removeNotice, showState } from "./compose/draft-notices.ts";
import {
  DraftKeeper,
  keepNames,
  lostNames,
  readCopy,
  removeOldCopies,
  type Saved,
} from "./compose/drafts.ts";
import { goingUp, showCrops, startFiles, tellLost, unsaved } from "./compose/files.ts";
import { checkLength, lookUpChosen, showSettings } from "./compose/look-ups.ts";
import { all, byId, composeForm, make, say } from "./compose/page.ts";
import { startPreviews } from "./compose/previews.ts";
import { startSending } from "./compose/send.ts";
import { fillFileParts, startThreads } from "./compose/threads.ts";

const { zone = "UTC", mode } = byId("compose-data")?.dataset ?? {};
const team = document.body.dataset.team ?? "";

const field = (name: string): HTMLInputElement | null =>
  composeForm?.querySelector(`input[name=${name}]`) ?? null;

interface Answer {
  data: { id: number; version: number };
}

async function saveDraft(content: Content, known: Saved | null, keepalive = false): Promise<Saved> {
  const { data } = known
    ? await call<Answer>(
        "PUT",
        `/drafts/${known.id}`,
        { content, version: Number(known.version) },
        {},
        keepalive,
      )
    : await call<Answer>("POST", "/drafts", { content }, {}, keepalive);
  return { id: String(data.id), version: String(data.version) };
}

const addressOf = ({ id }: Saved): string => `/app/compose?draft=${id}`;

function nameDraft(saved: Saved): void {
  const [id, version] = [field("draft"), field("version")];
  if (id) id.value = saved.id;
  if (version) version.value = saved.version;
  history.replaceState(null, "", addressOf(saved));
}

function keepDraft(form: HTMLFormElement): DraftKeeper {
  const read = () => readContent(form);
  const [id, version] = [field("draft")?.value || null, field("version")?.value || null];
  const keepAsNew = async (content: Content) => {
    location.assign(addressOf(await saveDraft(content, null)));
  };
  const keeper: DraftKeeper = new DraftKeeper({
    team,
    id,
    version,
    read,
    save: async (content, known, isLeaving) => {
      const saved = await saveDraft(content, known, isLeaving);
      nameDraft(saved);
      keepNames(team, saved.id, unsaved());
      return saved;
    },
    onState: (state) =>
      showState(state, keeper.id, {
        keepAsNew: () => {
          keeper.goOn(null);
          removeNotice();
        },
        discard: removeNotice,
      }),
  });
  const copy = readCopy(team, id);
  const isSame = copy && JSON.stringify(copy.content) === JSON.stringify(read());
  if (!copy || isSame || byId("summary")) return keeper;
  // An address may bring a time, a text or files of its own.
  const isAnew = id === null && location.search !== "";
  if (copy.version === version && !copy.isSent && !isAnew) {
    say("What you wrote last is brought back …");
    const known = id !== null && version !== null ? { id, version } : null;
    saveDraft(copy.content, known).then(
      (saved) => {
        keeper.forget();
        location.replace(addressOf(saved));
      },
      (error) => {
        // The page that was left may have saved it meanwhile.
        if (error instanceof CallRefused && error.code === "DRAFT_CHANGED") location.reload();
        else say("What you wrote last is in this browser. Load the page again to bring it back.");
      },
    );
    return keeper;
  }
  offerCopy(copy.at, {
    keepAsNew: () => {
      keeper.forget();
      keepAsNew(copy.content);
    },
    discard: () => {
      keeper.forget();
      removeNotice();
    },
  });
  return keeper;
}

function showOwnTime(content: Content): void {
  const place = byId("own-time");
  const at = content.when.kind === "at" ? instantOf(content.when, zone) : null;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const words =
    at && own !== zone
      ? `${at.toLocaleString([], { dateStyle: "medium", timeStyle: "short" })} where you are (${own})`
      : "";
  if (place && place.textContent !== words) place.textContent = words;
}

function start(form: HTMLFormElement): void {
  const keeper = mode === "edit" ? null : keepDraft(form);
  const read = () => readContent(form);
  const note = make("p", { id: "check-note", className: "hint", role: "status" });
  byId("send")?.after(note);
  const draw = startPreviews(note);
  const refreshSending = startSending({
    goingUp,
    unsaved,
    ready: () => keeper?.ready() ?? Promise.resolve(true),
    onSend: () => keeper?.sent(),
  });
  const changed = () => {
    keeper?.changed();
    draw();
  };
  const structureChanged = () => {
    fillFileParts();
    updateCounts();
    checkLength();
    changed();
  };
  const id = () => field("draft")?.value || null;
  tellLost(lostNames(team, id()));
  removeOldCopies();
  startFiles(structureChanged, () => {
    refreshSending();
    keepNames(team, id(), unsaved());
  });
  startThreads(structureChanged);
  startBlocks(form);
  form.addEventListener("input", changed);
  form.addEventListener("change", () => {
    showSettings();
    lookUpChosen();
    showCrops();
    showOwnTime(read());
    changed();
  });
  for (const button of all("button[name=do][value=preview], button[name=do][value=lookup]")) {
    button.hidden = true;
  }
  showSettings();
  lookUpChosen();
  showOwnTime(read());
  startCounts();
  draw();
}

if (composeForm) start(composeForm);
