import { once } from "node:events"
import type { Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

import type * as z from "zod"

import { entryAt, lastEntries, readWholeRecord } from "../../audit/read-entries.ts"
import type { StoredEntry } from "../../audit/stored-entry.ts"
import { asks, maxLineBytes, type AskName, type Asks, type ReleaseAsk } from "../../console/asks.ts"
import type { HoldView } from "../../contract/bot-views.ts"
import type { AdminLink } from "../../contract/client.ts"
import type { WholeRecord } from "../../contract/views.ts"
import * as wire from "../../link/wire.ts"
import { Fault } from "../../std/fault.ts"
import type { Installation } from "../../vault/config/installation.ts"
import type { RequestRow } from "../../vault/ledger/records/row.ts"
import { grantWords } from "../../words/grant-words.ts"
import { heldWords, isAccountWide } from "../../words/held-words.ts"
import { heldNow, bodyLines, sinceHeld } from "../held/held.ts"
import { dialAdmin, ledgerReading, type Admin } from "../installation/admin.ts"
import { askStatus } from "../installation/ask-daemon.ts"
import { locationWords } from "../installation/usual-installation.ts"
import { readEntries } from "./read-entries.ts"

/** What each ask is answered; of an answer only what its schema names is passed on. */
type AllAnswers = {
  readonly [Name in AskName]: (
    params: z.output<Asks[Name]["params"]>,
  ) => Promise<z.input<Asks[Name]["answer"]>>
}

/** Without those of a release the server may not ask for one. */
export type Answers = Omit<AllAnswers, ReleaseAsk> & Partial<Pick<AllAnswers, ReleaseAsk>>

/** Between an answer and the next ask: four pages need a few a second, and a server that was broken into gets no more. */
const pauseMs = 40

/**
 * Answers the console's server, one ask after the other, until the pipe closes. It is closed on whatever isn't on
 * the list: no server of ours asks that.
 *
 * @throws where something else was asked.
 */
export async function answerAsks(pipe: Socket, answers: Answers): Promise<void> {
  const reader = wire.createFrameReader(maxLineBytes.ask)
  const writer = wire.createFrameWriter(pipe, maxLineBytes.answer)
  try {
    for await (const chunk of pipe as AsyncIterable<Buffer>) {
      for (const { value } of reader.push(chunk)) {
        await answer(parseAsk(value, answers), writer)
        await sleep(pauseMs)
        await drained(pipe)
      }
    }
  } finally {
    pipe.destroy()
  }
}

/** Waits until what was answered has left: who asks and doesn't read gets no more. */
async function drained(pipe: Socket): Promise<void> {
  if (!pipe.writableNeedDrain) return
  const leaving = new AbortController()
  const { signal } = leaving
  await Promise.race([once(pipe, "drain", { signal }), once(pipe, "close", { signal })])
  leaving.abort()
}

type Asked = {
  readonly id: number
  readonly name: AskName
  readonly params: unknown
  readonly give: (params: unknown) => Promise<unknown>
}

function parseAsk(value: unknown, answers: Answers): Asked {
  const ask = wire.parseRequest(value)
  if (ask === undefined || !isAskName(ask.method)) throw new Error("no such ask")
  const { id, params } = ask
  const name = ask.method
  // The type pairs each ask with the schema that made its parameters.
  const give = answers[name] as ((params: unknown) => Promise<unknown>) | undefined
  if (give === undefined) throw new Error("this console may not ask that")
  return { id, name, params: asks[name].params.parse(params), give }
}

function isAskName(method: string): method is AskName {
  return Object.hasOwn(asks, method)
}

async function answer({ id, name, params, give }: Asked, writer: wire.FrameWriter): Promise<void> {
  const head = { jsonrpc: "2.0", id } as const
  try {
    const given = await give(params)
    writer.write({ ...head, result: asks[name].answer.parse(given) })
  } catch (error) {
    writer.write({ ...head, error: wire.errorOf(error) })
  }
}

type Vault = Pick<Admin, "call" | "readLedger">

/** Calls the daemon's vault. After a failure it is dialled anew: one that was started again has another secret. */
export function vaultCalls(installation: Installation, by: string) {
  let link: AdminLink | undefined
  const close = (): void => {
    link?.close()
    link = undefined
  }
  const call: Admin["call"] = async (method, params) => {
    try {
      link ??= await dialAdmin(installation, by)
      if (link === undefined) throw nothingToShow()
      return await link.call(method, params)
    } catch (error) {
      close()
      throw error
    }
  }
  return { call, readLedger: ledgerReading(installation, call), close }
}

type Answering = {
  /** Who does what is done, for the record. */
  readonly by: string
  /** The installation, where commands must name it. */
  readonly named: Installation | undefined
}

/** What any console may have of the vault, and what it may do to it: freeze. */
export function vaultAnswers(
  vault: Vault,
  { by, named }: Answering,
): Omit<Answers, "listening" | ReleaseAsk> {
  const { call } = vault
  const where = named === undefined ? "" : ` ${locationWords(named)}`
  return {
    look: async () => {
      const status = await askStatus({ call })
      const guards = await call("listGuards", {})
      return {
        ...status,
        guards,
        where,
        ...(await worded(status.holds, vault)),
        may_release: false,
      }
    },
    entries: (span) => readEntries(vault, span, Date.now()),
    record: (of) => readRecord(vault, of),
    held: async ({ id }) => {
      const hold = await pendingHold(id, vault)
      const words = heldWords(hold, await call("listSymbols", {}))
      return { words, body: bodyLines(hold).join("\n") }
    },
    freeze: ({ reason }) => call("freeze", { scope: "all", name: null, reason, cancels: true, by }),
  }
}

/** A console with `--release` besides puts a person's word on held requests. */
export function releasingAnswers(vault: Vault, answering: Answering): Omit<Answers, "listening"> {
  const { look, ...others } = vaultAnswers(vault, answering)
  return {
    ...others,
    look: async () => ({ ...(await look({})), may_release: true }),
    weigh: async ({ id }) => {
      const hold = await pendingHold(id, vault)
      const symbols = await vault.call("listSymbols", {})
      const words = heldWords(hold, symbols)
      const to_type = isAccountWide(hold.operation) ? hold.operation : null
      const { policy_hash } = symbols
      return { words, warnings: await sinceHeld(hold, vault), to_type, policy_hash }
    },
    decide: async ({ id, decision, typed, policy_hash, grant }) => {
      const { operation } = await pendingHold(id, vault)
      if (decision === "released" && isAccountWide(operation) && typed !== operation) {
        throw new Fault("usage", `It is about the whole account: type ${operation} to release it.`)
      }
      return vault.call("decideHold", { id, decision, policy_hash, ...(grant && { grant }) })
    },
  }
}

async function pendingHold(id: string, vault: Pick<Admin, "call">): Promise<HoldView> {
  const hold = await heldNow(id, vault)
  if (hold?.state === "pending") return hold
  throw new Fault("usage", `This request waits no more; it is ${hold?.state ?? "unknown"}.`)
}

/** What waits for a person and what one granted, in words. */
async function worded(
  waiting: readonly HoldView[],
  { call }: Pick<Admin, "call">,
): Promise<Pick<z.input<Asks["look"]["answer"]>, "holds" | "grants">> {
  const open = (await call("listGrants", {})).filter(({ ended }) => ended === null)
  if (waiting.length + open.length === 0) return { holds: [], grants: [] }
  const symbols = await call("listSymbols", {})
  return {
    holds: waiting.map((hold) => ({ ...hold, words: heldWords(hold, symbols) })),
    grants: open.map((grant) => ({ ...grant, words: grantWords(grant, symbols) })),
  }
}

function nothingToShow(): Fault {
  return new Fault(
    "vault_unavailable",
    "No daemon runs here, so there is nothing to show; countersign serve starts one.",
  )
}

type Told = z.input<Asks["record"]["answer"]>

/** A record with its place in the ledger, and what each rule makes of it now. */
async function readRecord(
  { call, readLedger }: Vault,
  { id, seq }: z.output<Asks["record"]["params"]>,
): Promise<Told> {
  const nowMs = Date.now()
  const { record, entry, head } = await readLedger((ledger) => ({
    record: readWholeRecord(ledger, id, nowMs),
    entry: entryAt(ledger, seq),
    head: lastEntries(ledger, 1)[0]?.seq ?? 0,
  }))
  const symbols = await call("listSymbols", {})
  // Another one has that number where the ledger isn't the one of the page any more.
  if (record === null || entry?.id !== id) return { record, symbols, place: null, verdicts: null }
  return {
    ...{ record, symbols },
    place: { seq, hash: Buffer.from(entry.hash).toString("hex"), head },
    verdicts: await verdictsOf({ call }, record, entry),
  }
}

/** `null` where it can't be told: its body isn't recorded, or its client or key is gone. */
async function verdictsOf(
  { call }: Pick<Admin, "call">,
  { client, key, body, decided_at: at }: WholeRecord,
  { row }: StoredEntry,
): Promise<Told["verdicts"]> {
  if (body === null || key === null) return null
  const { path } = JSON.parse(row) as RequestRow // the vault wrote it
  try {
    const sent = { path, key, body: Buffer.from(body).toString("base64") }
    return (await call("explain", { client, at, ...sent })).verdicts
  } catch (error) {
    if (error instanceof Fault && error.code === "name_unknown") return null
    throw error
  }
}
