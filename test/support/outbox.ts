interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** A binding that keeps the mails that it is given, or refuses them. */
export function outbox(refusal?: string) {
  const mails: Mail[] = [];
  const send = async (mail: Mail) => {
    if (refusal) throw new Error(refusal);
    mails.push(mail);
  };
  return { mails, email: { send } as unknown as SendEmail };
}
