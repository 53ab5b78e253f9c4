import { setTimeout as sleep } from "node:timers/promises"

import { atOneMoment, type LedgerReader } from "../../audit/open-ledger.ts"
import { entriesAfter, lastEntries, type EntryFilter } from "../../audit/read-entries.ts"
import { Fault } from "../../std/fault.ts"
import type { Installation } from "../../vault/config/installation.ts"
import type { StoredEntry } from "../../vault/ledger/store/audit-queries.ts"
import { command } from "../cli/command.ts"
import { flag, option, parsed, withDefault } from "../cli/options.ts"
import { tell } from "../cli/print.ts"
import { withStopSignal } from "../cli/signals.ts"
import type { Terminal } from "../cli/terminal.ts"
import {
  installationOf,
  installationOptions,
  jsonOption,
} from "../installation/installation-command.ts"
import { withLedger } from "../installation/with-vault.ts"
import { entryWords, shownEntry } from "./entries.ts"

/** `countersign audit tail --follow` */
export const auditTail = command({
  description: "show the last entries of the ledger",
  examples: [
    "countersign audit tail -n 50 --client mm-bot",
    "countersign audit tail --follow --json | jq .row",
  ],
  options: {
    count: parsed(withDefault(option("-n, --lines <count>", "how many"), "20"), parseCount),
    client: option("--client <name>", "those of one client"),
    key: option("--key <name>", "those of one key"),
    kind: option("--kind <kind>", "those of one kind, such as request, refusal or act"),
    follow: flag("--follow", "keep showing new entries, until Ctrl-C"),
    ...installationOptions,
    ...jsonOption,
  },
  run: async ({ count, client, key, kind, follow, json, ...options }, terminal) => {
    const filter = { client, key, kind }
    const installation = installationOf(options)
    const lineOf = json ? shownEntry : (entry: StoredEntry) => `${entryWords(entry)}\n`
    const show = (shown: readonly StoredEntry[]): void => {
      terminal.stdout.write(shown.map(lineOf).join(""))
    }
    const last = await withLedger(installation, (ledger) =>
      seen(ledger, () => lastEntries(ledger, count, filter)),
    )
    show(last.entries)
    if (follow) await followEntries({ installation, after: last.seq, filter, show, terminal })
    return 0
  },
})

type Seen = { readonly entries: readonly StoredEntry[]; readonly seq: number }

/** Entries, and where the journal ended when they were read. */
function seen(ledger: LedgerReader, read: () => readonly StoredEntry[]): Seen {
  return atOneMoment(ledger, () => ({
    entries: read(),
    seq: lastEntries(ledger, 1)[0]?.seq ?? 0,
  }))
}

const maxLines = 100_000

function parseCount(text: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : NaN
  if (count >= 0 && count <= maxLines) return count
  throw new Fault("usage", `--lines takes a number from 0 to ${maxLines}.`)
}

/** How long after one look at the journal the next one comes. */
const pauseMs = 250

type Following = {
  readonly installation: Installation
  readonly after: number
  readonly filter: EntryFilter
  readonly show: (entries: readonly StoredEntry[]) => void
  readonly terminal: Terminal
}

/**
 * Shows what is recorded until a signal ends it, or nobody reads it any more. That no daemon runs is said once on stderr. The
 * ledger is opened anew for each look: one that was restored meanwhile is another file.
 */
function followEntries(following: Following): Promise<void> {
  return withStopSignal((stopped) => {
    const ending = new AbortController()
    void Promise.race([stopped, following.terminal.unread]).then(() => ending.abort())
    return follow(following, ending.signal)
  })
}

async function follow(
  { installation, filter, show, terminal, ...from }: Following,
  signal: AbortSignal,
): Promise<void> {
  let { after } = from
  let isWaiting = false
  while (!signal.aborted) {
    const last = await withLedger(installation, (ledger, head) => {
      if ((head === undefined) !== isWaiting) tell(terminal, daemonWords(isWaiting))
      isWaiting = head === undefined
      return seen(ledger, () => entriesAfter(ledger, after, filter).toArray())
    })
    show(last.entries)
    after = Math.max(after, last.seq)
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined) // a signal came
  }
}

function daemonWords(isBack: boolean): string {
  return isBack
    ? "countersign: the daemon runs again"
    : "countersign: the daemon doesn't run; waiting for it"
}
