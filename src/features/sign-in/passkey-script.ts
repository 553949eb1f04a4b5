export const PASSKEY_SCRIPT_PATH = "/sign-in/passkey.js";

/**
 * Controls stay hidden without passkeys. `#passkey` is a button that signs in and opens its `data-next` address;
 * `#add-passkey` is a form with a passkey's name.
 */
export const PASSKEY_SCRIPT = `
const ask = async (step, body = {}) => {
  const headers = { "content-type": "application/json" };
  const answer = await fetch("/sign-in/passkey/" + step, { method: "POST", headers, body: JSON.stringify(body) });
  const json = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(json.error ?? "The server did not answer as it should. Try again.");
  return json;
};
const tell = (text) => { document.getElementById("passkey-state").textContent = text; };
const explain = (error) => tell(
  error.name === "NotAllowedError" ? "No passkey was used: it was cancelled, or took too long."
  : error.name === "InvalidStateError" ? "This device has a passkey for this account already."
  : error.message);
const run = (work) => { tell(""); work().catch(explain); };
const show = (id, kind, work) => {
  const part = document.getElementById(id);
  if (!part || !window.PublicKeyCredential?.parseCreationOptionsFromJSON) return;
  part.hidden = false;
  part.addEventListener(kind, (event) => { event.preventDefault(); run(() => work(part)); });
};
show("passkey", "click", async (button) => {
  const options = { ...(await ask("options")), userVerification: "required" };
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  await ask("verify", { response: credential.toJSON() });
  location.assign(button.dataset.next);
});
show("add-passkey", "submit", async (form) => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(await ask("register-options"));
  const credential = await navigator.credentials.create({ publicKey });
  await ask("register", { response: credential.toJSON(), name: form.elements.name.value });
  location.reload();
});
`;
