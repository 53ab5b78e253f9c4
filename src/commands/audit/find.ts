import { findRecords, soughtBy, type Sought } from "../../audit/find-records.ts"
import { Fault } from "../../std/fault.ts"
import { option } from "../cli/command.ts"
import { withLedger } from "../installation/admin.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { entryWords, shownAbout } from "./entries.ts"

type Words = Readonly<Record<keyof typeof soughtBy, string | undefined>>

/** `countersign audit find --order-id 7001` */
export const auditFind = installationCommand({
  description: "find what was recorded of a request by what the bot or the venue calls it",
  notes: `
It shows each record with all that was heard of it, at most 200; audit show ID shows one in full.`,
  examples: [
    "countersign audit find --nonce 1780000001000",
    "countersign audit find --client-order-id quote-17 --json",
  ],
  options: {
    nonce: option("--nonce <nonce>", "the nonce that it was signed with"),
    orderId: option(
      "--order-id <id>",
      "the venue's id of the order that it placed, or that it is about",
    ),
    clientOrderId: option("--client-order-id <id>", "the bot's own id of an order"),
    txHash: option("--tx-hash <hash>", "the venue's hash of the transaction"),
    hash: option("--hash <hash>", "the hash of an entry in the chain"),
  },
  answer: async (installation, words) => {
    const isSought = soughtIn(words)
    const found = await withLedger(installation, (ledger) => findRecords(ledger, isSought))
    if (found.length > 0) return found
    throw new Fault(
      "name_unknown",
      "The ledger has no such record; an older one may be archived: look for it with zgrep in the archives. What the venue calls an order is known of orders that the daemon sent itself.",
    )
  },
  shows: "records",
  json: (found) => found.map(shownAbout),
  print: (found) => found.flatMap(({ entry, others }) => [entry, ...others].map(entryWords)),
})

/** @throws {Fault} `usage` unless one thing is asked for. */
function soughtIn(words: Words): Sought {
  const [sought, ...more] = (Object.keys(soughtBy) as (keyof Words)[]).flatMap((by) => {
    const { [by]: word } = words
    return word === undefined ? [] : [soughtBy[by](word)]
  })
  if (sought !== undefined && more.length === 0) return sought
  throw new Fault("usage", "Say one thing to find it by, such as --nonce or --order-id.")
}
