import { resolve } from "node:path"

import type { Command } from "commander"

import type { AdminResults } from "../../link/methods.ts"
import { parseDurationMs } from "../../std/duration.ts"
import { Fault } from "../../std/fault.ts"
import { loadFiles } from "../../vault/load-files.ts"
import {
  command,
  installationOf,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { print, table, type Printing } from "../print.ts"
import { withAdmin } from "../with-vault.ts"

type ReplayOptions = InstallationOptions &
  Printing & { readonly since: string; readonly candidate?: string }

/** `countersign policy replay --since 7d`: what other files would have refused of what was signed. */
export function policyReplay(): Command {
  const made = command(
    "replay",
    "judge the requests of the past by other files, before you put them in force",
  )
    .option("--since <duration>", "how far back, like 7d", "7d")
    .option("--candidate <dir>", "a configuration directory; the files on disk if left out")
  withExamples(
    made,
    "countersign policy replay --since 7d",
    "countersign policy replay --since 1d --candidate ./candidate",
  )
  return runs<ReplayOptions>(withJson(withInstallation(made)), async (options) => {
    const sinceMs = parseDurationMs(options.since)
    if (sinceMs === undefined) throw new Fault("usage", "--since takes a duration like 7d.")
    const own = installationOf(options)
    const configDir = options.candidate === undefined ? own.configDir : resolve(options.candidate)
    const { texts } = await loadFiles({ ...own, configDir })
    const answer = await withAdmin(options, (admin) =>
      admin.call("replay", { sinceMs, texts: texts.map(({ name, text }) => ({ name, text })) }),
    )
    print(answer, options, replayLines)
  })
}

function replayLines({ requests, refusals, refused }: AdminResults["replay"]): readonly string[] {
  const head = `${refusals} of ${requests} requests would now be refused.`
  if (refused.length === 0) return [head]
  const rows = refused.map(({ record, at, client, operation, reason, policy, rule }) => [
    record,
    new Date(at).toISOString(),
    client,
    operation,
    reason,
    policy === null ? "-" : `${policy}/${rule ?? ""}`,
  ])
  return [head, "", ...table(["RECORD", "AT", "CLIENT", "OPERATION", "REASON", "RULE"], rows)]
}
