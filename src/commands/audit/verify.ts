import { resolve } from "node:path"

import type { Command } from "commander"

import { spanWords } from "../status/time-words.ts"
import {
  command,
  installationOf,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { print, visible, type Printing } from "../print.ts"
import { openAuditor } from "./auditor.ts"
import { keepCheckpoint, readKeptCheckpoint } from "./kept-checkpoint.ts"
import { verifyLedger, type Verdict } from "./verify-ledger.ts"

type VerifyOptions = InstallationOptions &
  Printing & {
    readonly archive?: readonly string[]
    readonly against?: string
    readonly checkpoint?: string
  }

/** `countersign audit verify` */
export function auditVerify(): Command {
  const made = command("verify", "check every entry of the ledger against its chain")
    .option("--archive <file...>", "archives that hold what came before")
    .option("--against <file>", "a checkpoint that was kept elsewhere")
    .option("--checkpoint <file>", "write the last checkpoint to a new file, to be kept elsewhere")
  withExamples(
    made,
    "countersign audit verify",
    "countersign audit verify --checkpoint ledger-2026-06-01.json",
    "countersign audit verify --against ledger-2026-06-01.json --archive countersign-archive-0000000001-0000048210.jsonl.gz",
  )
  return runs<VerifyOptions>(withJson(withInstallation(made)), async (options) => {
    const kept =
      options.against === undefined ? undefined : await readKeptCheckpoint(options.against)
    const startMs = performance.now()
    const verdict = await verify(options, kept)
    const ms = performance.now() - startMs
    if (verdict.flaw === undefined && options.checkpoint !== undefined) {
      await keepCheckpoint(resolve(options.checkpoint), verdict.position.checkpoint)
    }
    print(answerOf(verdict, ms), options, () => linesOf(verdict, ms))
    if (verdict.flaw !== undefined) process.exitCode = 1
  })
}

async function verify(
  options: VerifyOptions,
  kept: Awaited<ReturnType<typeof readKeptCheckpoint>> | undefined,
): Promise<Verdict> {
  const auditor = await openAuditor(installationOf(options))
  const progress = openProgress()
  try {
    if (options.checkpoint !== undefined) await auditor.checkpoint()
    const archives = (options.archive ?? []).map((file) => resolve(file))
    return await verifyLedger({ auditor, archives, kept, onProgress: progress.show })
  } finally {
    progress.clear()
    auditor.close()
  }
}

function answerOf({ flaw, entries, firstSeq, position }: Verdict, ms: number) {
  return {
    whole: flaw === undefined,
    broken: flaw ?? null,
    entries,
    first_seq: firstSeq,
    entries_per_second: rateOf(entries, ms),
    head: { seq: position.seq, hash: position.hash },
    checkpoint: position.checkpoint,
  }
}

function linesOf({ flaw, entries, firstSeq, position }: Verdict, ms: number): readonly string[] {
  const checked = `${entries} entries from ${firstSeq} on, ${rateOf(entries, ms)} a second.`
  if (flaw === undefined) {
    const signed =
      position.checkpoint === null
        ? "No checkpoint is among them."
        : `The last checkpoint, of entry ${position.checkpoint.head_seq}, was signed ${spanWords(Date.now() - position.checkpoint.at_ms)} ago.`
    return [
      `The ledger is whole: ${checked}`,
      `Head: entry ${position.seq}, ${position.hash}`,
      signed,
    ]
  }
  const { seq, id, what, file } = flaw
  const name = id === null ? `entry ${seq}` : `entry ${seq} (${visible(id)})`
  return [
    `The ledger is broken at ${name}: ${visible(what)}.`,
    ...(file === undefined ? [] : [`In ${file}`]),
    `Whole before that: ${checked}`,
  ]
}

function rateOf(entries: number, ms: number): number {
  return Math.round((1_000 * entries) / Math.max(ms, 1))
}

/** A line on a terminal that goes on being written over. */
function openProgress() {
  const { stderr } = process
  return {
    show: (entries: number): void => {
      if (stderr.isTTY) stderr.write(`\r${entries} entries are whole…`)
    },
    clear: (): void => {
      if (stderr.isTTY) stderr.write("\r\u001b[K")
    },
  }
}
