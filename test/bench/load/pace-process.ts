// `node pace-process.ts` reads a PaceAsk on stdin, does it at its pace, and prints a Paced: one process, as a bot is one.
import { constants } from "node:fs"
import { open } from "node:fs/promises"
import { json } from "node:stream/consumers"

import { signers } from "../beside/signers.ts"
import { connectAgent } from "../beside/ssh-agent.ts"
import { cpuMs } from "../daemon/process-cost.ts"
import { quantilesOf } from "../report/quantiles.ts"
import { askInTurn, openConnection } from "./connection.ts"
import { atPace } from "./pace.ts"
import type { PaceAsk, Paced, PacedSubject } from "./run-pace.ts"

const { subject, pids, ...pace } = (await json(process.stdin)) as PaceAsk // of run-pace.ts
const { one, close } = await openSubject(subject)
// Until V8 has compiled it.
for (let turn = 0; turn < 500; turn++) await one(turn)
const beforeMs = cpuMs(pids ?? [process.pid])
const timesMs = await atPace(one, pace)
const cpuMicros = ((cpuMs(pids ?? [process.pid]) - beforeMs) / timesMs.length) * 1_000
close()
const paced: Paced = { requests: timesMs.length, cpuMicros, ...quantilesOf(timesMs) }
process.stdout.write(JSON.stringify(paced))

type Opened = { readonly one: (turn: number) => unknown; readonly close: () => void }

async function openSubject(each: PacedSubject): Promise<Opened> {
  switch (each.kind) {
    case "http":
      return openHttp(each)
    case "in process":
      return openInProcess(each.name)
    case "ssh-agent":
      return connectAgent(each)
    case "flush":
      return openFlush(each.file)
  }
}

async function openHttp({ url, posts }: PacedSubject & { readonly kind: "http" }): Promise<Opened> {
  const connection = await openConnection(url)
  return { one: askInTurn(connection, posts), close: () => connection.close() }
}

function openInProcess(name: string): Opened {
  const one = signers[name]?.()
  if (one === undefined) throw new Error(`no signer is called ${name}`)
  return { one, close: () => undefined }
}

/** A page that is on the disk when the write returns, over and over the same, so that nothing grows. */
async function openFlush(file: string): Promise<Opened> {
  const { O_CREAT, O_WRONLY, O_DSYNC } = constants
  const handle = await open(file, O_CREAT | O_WRONLY | O_DSYNC, 0o600)
  const page = Buffer.alloc(4_096, 7)
  return {
    one: () => handle.write(page, 0, page.length, 0),
    close: () => void handle.close(),
  }
}
