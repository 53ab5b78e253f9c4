import { statSync } from "node:fs"
import { resolve } from "node:path"

import { replay, type Replayed } from "../../audit/replay.ts"
import { parseDurationMs } from "../../std/time/duration.ts"
import { Fault } from "../../std/fault.ts"
import { loadFiles } from "../../vault/config/load-files.ts"
import { table, type Line } from "../cli/print.ts"
import { option, parsed, withDefault } from "../cli/options.ts"
import { becomeOwner } from "../installation/caller.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { withLedger } from "../installation/with-vault.ts"
import { utcText } from "../../std/time/time-words.ts"

/** `countersign policy replay --since 7d`: what other files would have refused of what was signed. */
export const policyReplay = installationCommand({
  description: "judge the requests of the past by other files, before you put them in force",
  examples: [
    "countersign policy replay --since 7d",
    "countersign policy replay --since 1d --candidate ./candidate",
  ],
  options: {
    sinceMs: parsed(
      withDefault(option("--since <duration>", "how far back, like 7d"), "7d"),
      parseSinceMs,
    ),
    candidate: option(
      "--candidate <dir>",
      "a configuration directory; the files on disk if left out",
    ),
  },
  answer: async (installation, { sinceMs, candidate }) => {
    const configDir = candidate === undefined ? installation.configDir : resolve(candidate)
    // What root has copied for this may be root's alone.
    if (candidate === undefined || !isRoots(configDir)) becomeOwner(installation.stateDir)
    const files = await loadFiles({ ...installation, configDir })
    return withLedger(installation, (ledger) => replay(ledger, files, Date.now() - sinceMs))
  },
  print: replayLines,
})

function isRoots(directory: string): boolean {
  return statSync(directory, { throwIfNoEntry: false })?.uid === 0
}

function parseSinceMs(text: string): number {
  const sinceMs = parseDurationMs(text)
  if (sinceMs !== undefined) return sinceMs
  throw new Fault("usage", "--since takes a duration like 7d.")
}

function replayLines({ requests, refusals, refused }: Replayed): readonly Line[] {
  const head = `${refusals} of ${requests} requests would now be refused.`
  if (refused.length === 0) return [head]
  const rows = refused.map(({ record, at, client, operation, reason, policy, rule }) => [
    record,
    utcText(at),
    client,
    operation,
    reason,
    policy === null ? "-" : `${policy}/${rule ?? ""}`,
  ])
  return [head, "", table(["RECORD", "AT", "CLIENT", "OPERATION", "REASON", "RULE"], rows)]
}
