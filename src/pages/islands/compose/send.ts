import { all, byId, composeForm, make } from "./page.ts";

interface Sending {
  goingUp(): number;
  unsaved(): readonly string[];
  ready(): Promise<boolean>;
  onSend(): void;
}

const sendButtons = (): HTMLButtonElement[] =>
  all<HTMLButtonElement>("button[name=do][value=send], button[name=do][value=send-accepted]");

/** Says why the post cannot be sent yet. Answers a function that looks again. */
export function startSending({ goingUp, unsaved, ready, onSend }: Sending): () => void {
  const form = composeForm;
  const place = make("p", { id: "send-note", className: "hint" });
  place.setAttribute("role", "status");
  let isSending = false;
  let isAsking = false;

  const refresh = () => {
    const count = goingUp();
    const words =
      count === 0
        ? ""
        : count === 1
          ? "One file is still going up. Sending is possible once it is stored."
          : `${count} files are still going up. Sending is possible once they are stored.`;
    for (const button of sendButtons()) button.disabled = count > 0;
    if (place.textContent !== words) place.textContent = words;
  };

  sendButtons()[0]?.closest(".row")?.before(place);
  addEventListener("beforeunload", (event) => {
    if (!isSending && unsaved().length > 0) event.preventDefault();
  });
  // The browser's back button shows the page as it was left.
  addEventListener("pageshow", () => {
    isSending = false;
  });
  form?.addEventListener("submit", async (event) => {
    if (isSending) return;
    event.preventDefault();
    const button = event.submitter as HTMLButtonElement | null;
    if (isAsking) return;
    isAsking = true;
    const isReady = await ready().finally(() => {
      isAsking = false;
    });
    if (!isReady) {
      byId("draft-notice")?.scrollIntoView({ block: "center" });
      return;
    }
    // A form that is asked to send itself while its submit event runs does nothing.
    await new Promise((done) => setTimeout(done));
    isSending = true;
    if (/^send/.test(button?.value ?? "send")) onSend();
    form.requestSubmit(button);
  });
  document.addEventListener("keydown", (event) => {
    const isInForm = event.target instanceof Element && form?.contains(event.target);
    if (event.key !== "Enter" || !isInForm) return;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const [button] = sendButtons();
      if (button && !button.disabled) form?.requestSubmit(button);
      else byId("send-note")?.scrollIntoView({ block: "center" });
    } else if (
      event.target instanceof HTMLInputElement &&
      !/^(?:checkbox|radio|file)$/.test(event.target.type)
    ) {
      // Enter would press the first button of the form, such as "Remove" beside a file.
      event.preventDefault();
    }
  });
  return refresh;
}
