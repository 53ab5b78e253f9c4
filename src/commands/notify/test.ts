import type { Command } from "commander"

import { testMessage, type Message } from "../../gate/notify/message.ts"
import { isTaken, postMessage, type Posted } from "../../gate/notify/post-message.ts"
import { Fault } from "../../std/fault.ts"
import {
  command,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { print, type Printing } from "../print.ts"
import { withAdmin } from "../with-vault.ts"

/** `countersign notify test`: one message from this process, by the settings in force. */
export function notifyTest(): Command {
  const made = withJson(
    withInstallation(command("test", "send a message to the webhook of countersign.yaml")),
  )
  withExamples(made, "countersign notify test")
  return runs<InstallationOptions & Printing>(made, async (options) => {
    const { webhook } = await withAdmin(options, (admin) => admin.call("webhook", {}))
    if (webhook === null) throw noWebhook
    const sent = testMessage(Date.now())
    const posted = await postMessage(webhook, sent)
    const { host } = new URL(webhook)
    if (!isTaken(posted)) throw notTaken(posted, host)
    const { status } = posted
    print({ host, status, sent }, options, linesOf)
  })
}

type Sent = { readonly host: string; readonly status: number; readonly sent: Message }

function linesOf({ host, status, sent }: Sent): readonly string[] {
  return [JSON.stringify(sent, null, 2), `${host} took it, with HTTP ${status}.`]
}

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
