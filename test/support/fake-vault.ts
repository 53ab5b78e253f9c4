import { hash } from "node:crypto"
import { join } from "node:path"

import { botParams, type BotParams, type BotResults } from "../../src/link/calls/methods.ts"
import { serveLink, type Methods } from "../../src/link/server.ts"
import { noMeasures } from "./facts.ts"
import { temporaryDirectory } from "./link-peer.ts"

export type VaultCall = {
  [Method in keyof BotParams]: { readonly method: Method; readonly params: BotParams[Method] }
}[keyof BotParams]

/** A vault that signs nothing: it gives scripted answers and remembers what it was asked. */
export type FakeVault = {
  readonly path: string
  readonly calls: readonly VaultCall[]
  /** The outcomes reported so far, once there are `count` of them. */
  outcomes(count: number): Promise<readonly BotParams["report"]["outcome"][]>
  close(): Promise<void>
}

export const token = `cs_${"t".repeat(43)}`
export const signedBody = `{"expires_after":2,"nonce":1,"signature":{"r":"0x${"1".repeat(64)}","s":"0x${"2".repeat(64)}","v":27},"signer_address":"0x${"3".repeat(40)}","symbol_id":1}`

/** Starts a fake vault on a fresh socket; `script` replaces single answers. */
export async function startFakeVault(
  script: Partial<Methods<typeof botParams, BotResults>> = {},
): Promise<FakeVault> {
  const directory = temporaryDirectory()
  const path = join(directory.path, "bot.sock")
  const calls: VaultCall[] = []
  const outcomes: BotParams["report"]["outcome"][] = []
  let onOutcome: () => void = () => undefined

  const answers = { ...defaultAnswers, ...script }
  const server = await serveLink<typeof botParams, BotResults>({
    path,
    params: botParams,
    methods: {
      sign: (params) => (calls.push({ method: "sign", params }), answers.sign(params)),
      signBatch: (params) => (
        calls.push({ method: "signBatch", params }),
        answers.signBatch(params)
      ),
      check: (params) => (calls.push({ method: "check", params }), answers.check(params)),
      whoami: (params) => (calls.push({ method: "whoami", params }), answers.whoami(params)),
      record: (params) => (calls.push({ method: "record", params }), answers.record(params)),
      records: (params) => (calls.push({ method: "records", params }), answers.records(params)),
      prices: (params) => (calls.push({ method: "prices", params }), answers.prices(params)),
      beginAccount: (params) => (
        calls.push({ method: "beginAccount", params }),
        answers.beginAccount(params)
      ),
      account: (params) => (calls.push({ method: "account", params }), answers.account(params)),
      freeze: (params) => (calls.push({ method: "freeze", params }), answers.freeze(params)),
      heartbeat: (params) => (
        calls.push({ method: "heartbeat", params }),
        answers.heartbeat(params)
      ),
      read: (params) => (calls.push({ method: "read", params }), answers.read(params)),
      readBudgetSpent: (params) => (
        calls.push({ method: "readBudgetSpent", params }),
        answers.readBudgetSpent(params)
      ),
      // It comes as often as the vault lets it.
      pricePoll: (params) => answers.pricePoll(params),
      polledPrices: (params) => (
        calls.push({ method: "polledPrices", params }),
        answers.polledPrices(params)
      ),
      // It comes as often as the vault lets it.
      accountPoll: (params) => answers.accountPoll(params),
      polledAccount: (params) => (
        calls.push({ method: "polledAccount", params }),
        answers.polledAccount(params)
      ),
      outbox: (params) => (calls.push({ method: "outbox", params }), answers.outbox(params)),
      outboxReport: (params) => (
        calls.push({ method: "outboxReport", params }),
        answers.outboxReport(params)
      ),
      metrics: (params) => (calls.push({ method: "metrics", params }), answers.metrics(params)),
      limits: (params) => (calls.push({ method: "limits", params }), answers.limits(params)),
      health: (params) => (calls.push({ method: "health", params }), answers.health(params)),
      gateSettings: (params) => (
        calls.push({ method: "gateSettings", params }),
        answers.gateSettings(params)
      ),
      // It comes whenever the gate likes.
      tokens: (params) => answers.tokens(params),
      alarmFacts: (params) => (
        calls.push({ method: "alarmFacts", params }),
        answers.alarmFacts(params)
      ),
      heldInFull: (params) => answers.heldInFull(params),
      decided: (params) => answers.decided(params),
      report(params) {
        calls.push({ method: "report", params })
        outcomes.push(params.outcome)
        onOutcome()
        return answers.report(params)
      },
    },
  })
  return {
    path,
    calls,
    async outcomes(count) {
      while (outcomes.length < count) await new Promise<void>((resolve) => (onOutcome = resolve))
      return outcomes
    },
    async close() {
      await server.close()
      directory.remove()
    },
  }
}

/** A token's, as the vault tells it to the gate. */
export function digestOf(of: string): string {
  return `0x${hash("sha256", of)}`
}

const defaultAnswers: Methods<typeof botParams, BotResults> = {
  sign: ({ path }) => ({
    kind: "answer",
    record: "r-1",
    path,
    body: signedBody,
    expiresAfter: Number.MAX_SAFE_INTEGER,
    goodForMs: 15_000,
  }),
  signBatch: () => ({ kind: "answer", results: [] }),
  check: () => ({
    kind: "answer",
    report: { would_sign: true, refusal: null, verdicts: [], limits: [] },
    record: null,
  }),
  report: () => ({ kind: "answer" }),
  whoami: () => ({
    kind: "answer",
    whoami: {
      ...{ client: "mm-bot", keys: [], default_key: "mm", rights: [] },
      ...{ allow_type_b: false, forward_only: false, paper: false },
      ...{ symbols: [], operations: [], reads: [] },
      ...{ service_chain: "Mainnet", signature_chain_ids: [84256] },
    },
  }),
  record: ({ id }) => ({
    kind: "answer",
    view: {
      id,
      state: "signed",
      client: "mm-bot",
      key: "mm",
      operation: "placeOrder",
      nonce: 1,
      expires_after: 2,
      decided_at: 1,
      policy_hash: "0x00",
      refusal: null,
      outcome: null,
      idempotency_key: null,
      client_order_id: null,
    },
  }),
  records: () => ({ kind: "answer", records: [] }),
  prices: () => ({ kind: "answer", prices: [] }),
  limits: () => ({ kind: "answer", limits: [], guards: [], budgets: [] }),
  metrics: () => ({ kind: "answer", measures: noMeasures }),
  freeze: () => ({
    kind: "answer",
    freeze: { scope: "all", name: null, reason: "", by: "bot", cancels: true, since: 0 },
  }),
  heartbeat: () => ({
    kind: "answer",
    heartbeat: { within_ms: null, then: null, frozen: false },
  }),
  read: () => ({ kind: "answer", weight: 2 }),
  readBudgetSpent: () => ({ kind: "answer" }),
  pricePoll: () => ({ dueInMs: null, round: null }),
  polledPrices: () => ({ kind: "answer" }),
  accountPoll: () => ({ dueInMs: null, round: null }),
  polledAccount: () => ({ kind: "answer" }),
  beginAccount: () => ({
    kind: "answer",
    begun: { ticket: "t1", begun_at: 0, expires_in_ms: 33_000, lag_ms: 3_000 },
  }),
  account: () => ({ kind: "answer" }),
  outbox: () => ({ requests: [] }),
  outboxReport: () => ({ kind: "answer" }),
  health: () => ({ signs: "all", reasons: [] }),
  gateSettings: () => ({ upstream: null, allowedHosts: [] }),
  tokens: () => ({ digests: [digestOf(token)] }),
  alarmFacts: () => ({ targets: [], facts: null, unknown: [], log: "[]", test: 0 }),
  heldInFull: () => ({ held: null }),
  decided: () => ({ decisions: [] }),
}
