import { randomBytes } from "node:crypto"
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { createInstallation, createKeystore } from "../../src/commands/init/create-installation.ts"
import { configText } from "../../src/commands/init/init-texts.ts"
import type { BotParams, BotResults } from "../../src/link/calls/methods.ts"
import type { Refusal } from "../../src/contract/refusal.ts"
import type { KeyView } from "../../src/contract/bot-views.ts"
import { sandboxProfile, sandboxUrl } from "../../src/sandbox/profile.ts"
import { utf8 } from "../../src/std/bytes.ts"
import { adminMethods } from "../../src/vault/admin-methods.ts"
import { botMethods } from "../../src/vault/bot-methods.ts"
import { pathsOf, type Installation } from "../../src/vault/config/installation.ts"
import type { ClientRight } from "../../src/vault/ledger/records/bindings.ts"
import { openVault } from "../../src/vault/open-vault.ts"
import type { Clock } from "../../src/vault/process/clock.ts"
import { checkRequest } from "../../src/vault/request/check-request.ts"
import { signRequest } from "../../src/vault/request/sign-request.ts"
import type { Vault } from "../../src/vault/vault.ts"
import { keepFiles, registerIfSecret, registerSecret } from "./canaries.ts"
import { keyParams } from "./key-pair.ts"

export const ordersPath = "/v1/trade/orders"
export const cancelPath = "/v1/trade/orders/cancel"
export const approvePath = "/v1/account/approve-agent"
export const revokePath = "/v1/account/revoke-agent"

/** Allows all that the sandbox's profile can sign. */
export const permissivePolicy = `policy: permissive
rules:
  - name: all
    endpoints: [placeOrder, modifyOrder, cancelOrder, cancelBatch, cancelAll, placeBatch, revokeAgent]
    allow_full_tpsl: true
  - name: agents
    endpoints: [approveAgent]
`

export type VaultAsk = {
  /** Policy files, one text each. */
  readonly policies?: readonly string[]
  /** venue.yaml; the sandbox's if left out. */
  readonly venue?: string
  /** venue-paper.yaml; none if left out. */
  readonly paper?: string
  /** Lines added to countersign.yaml. */
  readonly settings?: string
  /** Where keys rest; `in_memory` if left out. Those on disk are there again when it is reopened. */
  readonly keys?: "in_memory" | "on_disk"
  /** This machine's if left out. */
  readonly clock?: Clock
  /** Where its ledger goes; left out where that is its own file. */
  readonly elsewhere?: VaultElsewhere | undefined
}

/** Where the ledger of a vault is besides its own file. */
export type VaultElsewhere = {
  /** What countersign.yaml says of it. */
  readonly settings: string
  /** Moves a new ledger there, before the vault is opened. */
  move(installation: Installation): Promise<void>
  /** Once the vault is closed for good. */
  close(): Promise<void>
}

/** What of a call differs from the usual one: the client's default key, and a signed body that is returned. */
export type CallChanges = Partial<BotParams["sign"]>

export type NewKey = {
  readonly name: string
  readonly role: "wallet" | "agent"
  readonly wallet?: string
  /** 32 bytes; a new random key if left out. */
  readonly secret?: Uint8Array
}

export type NewClient = {
  readonly name: string
  readonly keys: readonly string[]
  readonly rights?: readonly ClientRight[]
  readonly allowTypeB?: boolean
  readonly forwardOnly?: boolean
  readonly idempotencyBy?: "header" | "client_order_id"
  readonly expiresInMs?: number
}

/** A real vault in this process, in a directory of its own. */
export type TestVault = {
  readonly vault: Vault
  readonly installation: Installation
  readonly admin: ReturnType<typeof adminMethods>
  readonly bots: ReturnType<typeof botMethods>
  addKey(key: NewKey): Promise<KeyView>
  /** Adds a client and returns its token. */
  addClient(client: NewClient): Promise<string>
  sign(token: string, body: unknown, changes?: CallChanges): Promise<BotResults["sign"]>
  check(token: string, body: unknown, changes?: CallChanges): BotResults["check"]
  /** Closes the vault and opens its installation again, as a restart does. */
  reopen(): Promise<TestVault>
  /** Closes the vault, so that its ledger can be read; the files stay. */
  close(): Promise<void>
  /** Closes it and removes everything. */
  remove(): Promise<void>
}

let usualElsewhere: () => VaultElsewhere | undefined = () => undefined

/** Where the ledgers of this process's vaults go from now on, unless they are told otherwise. */
export function keepLedgers(elsewhere: () => VaultElsewhere | undefined): void {
  usualElsewhere = elsewhere
}

/** Opens a vault whose venue is the sandbox and whose policies are `permissivePolicy`, unless told otherwise. */
export async function openTestVault(asked: VaultAsk = {}): Promise<TestVault> {
  const ask = { elsewhere: usualElsewhere(), ...asked }
  const made = await makeTestInstallation(ask)
  try {
    await ask.elsewhere?.move(made.installation)
    const vault = await openVault(made.installation, passphrase, around(made, ask))
    return testVault(vault, made)
  } catch (error) {
    await made.remove()
    throw error
  }
}

/** As `countersign serve` has it. */
function around({ installation }: TestInstallation, { clock }: VaultAsk) {
  return {
    surroundings: { startedBy: "serve", warnings: [] },
    ledgerDoor: { path: pathsOf(installation).ledgerSocket },
    ...(clock !== undefined && { clock }),
  } as const
}

export type TestInstallation = {
  readonly installation: Installation
  remove(): Promise<void>
}

/** The files of an installation. */
export async function makeTestInstallation(ask: VaultAsk = {}): Promise<TestInstallation> {
  const home = await mkdtemp(join(tmpdir(), "cs-vault-"))
  const installation = { configDir: join(home, "config"), stateDir: join(home, "state") }
  const { policies = [permissivePolicy], venue, paper, keys = "in_memory", elsewhere } = ask
  const settings = settingsOf(ask)
  await createInstallation({
    installation,
    configText: `${configText({ backend: keys === "on_disk" ? "keystore" : "memory" })}signer_dir: ${JSON.stringify(join(home, "signers"))}\n${settings}`,
    venueText: venue ?? sandboxProfile({ url: sandboxUrl, asOf: new Date() }),
    policyText: "# no rules\n",
    keyStore: { kind: "nothing" },
    passphraseFile: undefined,
  })
  if (keys === "on_disk") await makeKeystore(installation)
  if (paper !== undefined) await writeFile(pathsOf(installation).paperFile, paper, { mode: 0o600 })
  await writePolicies(installation, policies)
  const remove = async (): Promise<void> => {
    await elsewhere?.close()
    keepFiles(home)
    await rm(home, { recursive: true, force: true, maxRetries: 10 })
  }
  return { installation, remove }
}

/** The sandbox's venue.yaml without lists of what cancels hold, so that these have any body but an order's. */
export function venueWithOpenCancels(): string {
  const listed = sandboxProfile({ url: sandboxUrl, asOf: new Date() })
  return listed.replaceAll(/, fields: \[[^\]]*\]/g, "")
}

/** Whatever room the machine has that tests run on, and more requests than the venue takes. */
function settingsOf({ elsewhere, settings = "" }: VaultAsk): string {
  const written = `${elsewhere?.settings ?? ""}${settings}`
  const ledger = written.includes("ledger:") ? "" : "ledger: {min_free: 0}\n"
  const budgets = written.includes("budgets:") ? "" : "budgets: {address: off, ip: off}\n"
  return `${ledger}${budgets}${written}`
}

/** Makes these an installation's policies, as an operator would; those in force stay until a reload. */
export async function writePolicies(
  installation: Installation,
  texts: readonly string[],
): Promise<void> {
  const { policiesDir } = pathsOf(installation)
  const earlier = (await readdir(policiesDir)).filter((name) => /^\d+\.yaml$/.test(name))
  for (const name of earlier) await rm(join(policiesDir, name))
  for (const [index, text] of texts.entries()) {
    await writeFile(join(policiesDir, `${index}.yaml`), text, { mode: 0o600 })
  }
}

/** Of keys on disk; keys in memory need none. */
export const testPassphrase = "a passphrase of a test"

function passphrase(): Promise<Uint8Array> {
  return Promise.resolve(utf8(testPassphrase))
}

/** One whose scrypt is quick. */
async function makeKeystore(installation: Installation): Promise<void> {
  const directory = pathsOf(installation).keystoreDir
  await mkdir(directory, { mode: 0o700 })
  await createKeystore({ directory, passphrase: await passphrase(), logN: 2 })
}

function testVault(vault: Vault, made: TestInstallation): TestVault {
  const admin = adminMethods(vault)
  return {
    vault,
    installation: made.installation,
    admin,
    bots: botMethods(vault),
    addKey: ({ secret = randomBytes(32), ...key }) => {
      registerIfSecret(`the key ${key.name}`, secret)
      return admin.addKey({ ...key, ...keyParams(secret) })
    },
    addClient: async ({ name, keys, rights = [], allowTypeB = false, ...more }) => {
      const client = { name, keys: [...keys], rights: [...rights], allowTypeB, ...more }
      const { token } = await admin.addClient(client)
      registerSecret(`the token of ${name}`, token)
      return token
    },
    sign: (token, body, changes) => signRequest(callOf(token, body, changes), vault),
    check: (token, body, changes) => checkRequest(checkOf(callOf(token, body, changes)), vault),
    reopen: async () => {
      await vault.close()
      return testVault(await openVault(made.installation, passphrase, around(made, {})), made)
    },
    close: () => vault.close(),
    remove: async () => {
      await vault.close()
      await made.remove()
    },
  }
}

/** The call that a gate makes of a bot's request. A string is sent as it is, bytes too, all else as JSON. */
export function callOf(token: string, body: unknown, changes: CallChanges = {}): BotParams["sign"] {
  return {
    token,
    path: ordersPath,
    body: base64Of(body),
    purpose: "return",
    ...changes,
  }
}

/** The same call, asking only whether it would be signed. */
export function checkOf(call: BotParams["sign"]): BotParams["check"] {
  const { token, path, body, key, expiresIn, idempotencyKey, check } = call
  return { token, path, body, key, expiresIn, idempotencyKey, check }
}

function base64Of(body: unknown): string {
  if (body instanceof Uint8Array) return Buffer.from(body).toString("base64")
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body)).toString("base64")
}

export type SignedAnswer = Extract<BotResults["sign"], { readonly kind: "answer" }>

/** The answer of a request that must be signed. @throws when it was refused. */
export function assertSigned(answer: BotResults["sign"]): asserts answer is SignedAnswer {
  if (answer.kind === "answered") throw new Error("answered already")
  if (answer.kind === "refused") {
    throw new Error(`refused: ${answer.refusal.code}: ${answer.refusal.message}`)
  }
}

/** `signed`, `answered`, or the code of the refusal: what most tests state. */
export function outcomeOf(
  answer:
    | { readonly kind: "answer" | "answered" }
    | { readonly kind: "refused"; readonly refusal: Refusal },
): string {
  if (answer.kind === "refused") return answer.refusal.code
  return answer.kind === "answer" ? "signed" : answer.kind
}

/** A body as it went out, read by JavaScript's own reader. */
export function readBody(answer: SignedAnswer): Record<string, unknown> {
  return JSON.parse(answer.body) as Record<string, unknown>
}

/** A limit order on the sandbox's market that keeps every rule, changed. */
export function limitOrder(
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    symbol_id: 1,
    is_buy: true,
    order_type: "limit",
    price: "63000",
    quantity: "0.1",
    ...changes,
  }
}

/** An approval of `agent` by `wallet` for 30 days on the sandbox's network, changed. */
export function approval(
  agent: string,
  wallet: string,
  changes: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    service_chain: "Sandbox",
    signature_chain_id: 842_569_901,
    agent_address: agent,
    authorized_address: wallet,
    valid_days: 30,
    label: "test",
    ...changes,
  }
}
