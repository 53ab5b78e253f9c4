import { setTimeout as sleep } from "node:timers/promises"

import type { AdminLink } from "../../contract/client.ts"
import { Fault } from "../../std/fault.ts"
import type { Installation } from "../../vault/config/installation.ts"
import type { StoredEntry } from "../../vault/ledger/store/audit-queries.ts"
import { command } from "../cli/command.ts"
import { flag, option, parsed, withDefault } from "../cli/options.ts"
import { tell } from "../cli/print.ts"
import { withStopSignal } from "../cli/signals.ts"
import type { Terminal } from "../cli/terminal.ts"
import { dialOrNone, isLoss } from "../installation/admin.ts"
import {
  installationOf,
  installationOptions,
  jsonOption,
} from "../installation/installation-command.ts"
import { withAdmin } from "../installation/with-vault.ts"
import {
  auditCallOf,
  lastEntries,
  entryWords,
  shownEntry,
  entriesAfter,
  type Filter,
} from "./entries.ts"

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
    const { entries, seq } = await withAdmin(installation, (admin) =>
      lastEntries(auditCallOf(admin), count, filter),
    )
    show(entries)
    if (follow) await followEntries({ installation, afterSeq: seq, filter, show, terminal })
    return 0
  },
})

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
  readonly afterSeq: number
  readonly filter: Filter
  readonly show: (entries: readonly StoredEntry[]) => void
  readonly terminal: Terminal
}

/**
 * Shows what is recorded after `afterSeq` until a signal ends it, or nobody reads it any more. While no daemon
 * runs it says so once on stderr and waits: it never opens the ledger itself, which would keep the daemon from
 * starting.
 */
async function followEntries(following: Following): Promise<void> {
  await withStopSignal(async (stopped) => {
    const ending = new AbortController()
    void Promise.race([stopped, following.terminal.unread]).then(() => ending.abort())
    await follow(following, ending.signal)
  })
}

async function follow(following: Following, signal: AbortSignal): Promise<void> {
  const { installation, terminal } = following
  let after = following.afterSeq
  let isWaiting = false
  while (!signal.aborted) {
    const link = await dialOrNone(installation)
    if (link === undefined) {
      if (!isWaiting) tell(terminal, "countersign: the daemon doesn't run; waiting for it")
      isWaiting = true
      await pause(signal)
      continue
    }
    if (isWaiting) tell(terminal, "countersign: the daemon runs again")
    isWaiting = false
    const shown = showUntilLost(link, { ...following, afterSeq: after }, signal)
    for await (const seq of shown) after = seq
    link.close()
  }
}

/** Gives how far it came after each look; ends when the daemon does. */
async function* showUntilLost(
  link: AdminLink,
  { afterSeq, filter, show }: Following,
  signal: AbortSignal,
): AsyncGenerator<number> {
  let after = afterSeq
  try {
    while (!signal.aborted) {
      const pages = entriesAfter((method, params) => link.call(method, params), after, filter)
      for (let page = await pages.next(); ; page = await pages.next()) {
        if (page.done === true) {
          after = page.value
          break
        }
        show(page.value)
        after = page.value.at(-1)?.seq ?? after
        yield after
      }
      yield after
      await pause(signal)
    }
  } catch (error) {
    if (!isLoss(error)) throw error
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(pauseMs, undefined, { signal }).catch(() => undefined) // a signal came
}
