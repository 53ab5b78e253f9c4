import type { Message } from "../../gate/notify/message.ts"
import { isTaken, type Posted } from "../../gate/notify/post-message.ts"
import { Fault } from "../../std/fault.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { withAdmin } from "../installation/with-vault.ts"
import { sendTest } from "./send-test.ts"

/** `countersign notify test`: one message from this process, by the settings in force. */
export const notifyTest = installationCommand({
  description: "send a message to the webhook of countersign.yaml",
  examples: ["countersign notify test"],
  answer: async (installation): Promise<Sent> => {
    const { webhook } = await withAdmin(installation, (admin) => admin.call("webhook", {}))
    if (webhook === null) throw noWebhook
    const { host, sent, posted } = await sendTest(webhook, "countersign notify test")
    if (!isTaken(posted)) throw notTaken(posted, host)
    return { host, status: posted.status, sent }
  },
  print: ({ host, status, sent }) => [
    JSON.stringify(sent, null, 2),
    `${host} took it, with HTTP ${status}.`,
  ],
})

type Sent = { readonly host: string; readonly status: number; readonly sent: Message }

const noWebhook = new Fault(
  "usage",
  "countersign.yaml names no webhook; add notify: {webhook: https://…}, then run: countersign policy reload",
)

/** Its host alone: the rest of the address mostly has a token in it. */
function notTaken(posted: Posted, host: string): Fault {
  const why =
    posted.kind === "answered"
      ? `${host} answered HTTP ${posted.status}; compare notify.webhook in countersign.yaml with what the service shows.`
      : `${host} gave no answer (${posted.code}); look at the name, the network and the firewall.`
  return new Fault("webhook_failed", `The message wasn't taken: ${why}`)
}
