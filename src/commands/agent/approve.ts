import type { Command } from "commander"

import { parseDurationMs } from "../../std/duration.ts"
import { Fault } from "../../std/fault.ts"
import {
  command,
  installationOf,
  runs,
  withExamples,
  withInstallation,
  withJson,
} from "../command.ts"
import { print } from "../print.ts"
import type { AcceptedOperation } from "../send-signed.ts"
import { withVault, type Admin, type VaultAccess } from "../with-vault.ts"
import {
  accessWithKeys,
  daysOf,
  findAgent,
  tell,
  untilText,
  withPassphrase,
  withTerm,
  type AgentOptions,
} from "./agent-options.ts"
import { approveElsewhere, completeApproval } from "./approve-elsewhere.ts"
import { approveHere } from "./approve-here.ts"

export type ApproveOptions = AgentOptions & {
  readonly wallet?: string
  readonly external?: boolean
  readonly generate?: boolean
  readonly validDays?: number
  readonly label?: string
  readonly expiresIn?: string
  readonly complete?: string
  readonly signatureFile?: string
}

/** `countersign agent approve NAME`: the vault signs, this process sends, the record tells. */
export function agentApprove(): Command {
  const made = command("approve", "have the venue take an agent key, and send the approval")
    .argument("[name]", "the agent key")
    .option("--wallet <wallet>", "the agent's wallet key; with --external, the wallet's address")
    .option("--external", "the wallet's key is held elsewhere: print what it has to sign")
    .option("--generate", "make the agent key first")
  withTerm(made)
    .option("--expires-in <duration>", "how long the approval may wait to be sent, like 15m")
    .option("--complete <record>", "send an approval that a wallet held elsewhere has signed")
    .option("--signature-file <file>", "with --complete: holds the signature; else standard input")
  withExamples(
    made,
    "countersign agent approve mm --valid-days 30",
    "countersign agent approve mm --generate --wallet main --valid-days 30",
    "countersign agent approve mm --wallet 0x2c7536E3605D9C16a7a3D7b1898e529396a65c23 --external --valid-days 30",
    "countersign agent approve --complete rec_1 --signature-file signature.txt",
  )
  return runs<ApproveOptions>(withJson(withInstallation(withPassphrase(made))), approve)
}

async function approve(options: ApproveOptions, name?: string): Promise<void> {
  const { complete } = options
  const work =
    complete === undefined ? approvalOf(options, name) : completionOf(options, complete, name)
  const accepted = await withVault(accessFor(options), work)
  if (accepted === undefined) return
  print(accepted, options, ({ record, key }) => [
    `${key.name} is approved ${untilText(key)} (record ${record}).`,
  ])
}

/** All else was said when the approval was described. */
function completionOf(options: ApproveOptions, record: string, name: string | undefined) {
  const { external, generate: isNew, wallet, validDays, label, signatureFile } = options
  const others = [name, external, isNew, wallet, validDays, label]
  if (others.some((each) => each !== undefined)) {
    throw new Fault("usage", "--complete takes the record and the signature alone.")
  }
  return (admin: Admin) => completeApproval(admin, record, signatureFile)
}

/** Checks what was typed before anything is opened. */
function approvalOf(options: ApproveOptions, name: string | undefined) {
  if (name === undefined)
    throw new Fault("usage", "Name the agent key: countersign agent approve NAME.")
  const { label = name, wallet, external = false } = options
  if (options.signatureFile !== undefined) {
    throw new Fault("usage", "--signature-file goes with --complete RECORD.")
  }
  const isAddress = wallet?.startsWith("0x") === true
  if (external !== isAddress) {
    throw new Fault(
      "usage",
      "--external and --wallet ADDRESS belong together: give both or neither.",
    )
  }
  const ask = { agent: name, validDays: daysOf(options), label, ...expiryOf(options) }
  return async (admin: Admin): Promise<AcceptedOperation | undefined> => {
    if (options.generate === true) await generate(admin, name, external ? undefined : wallet)
    else await assertWallet(admin, name, external ? undefined : wallet)
    return external && wallet !== undefined
      ? approveElsewhere(admin, { ...ask, wallet }, options)
      : approveHere(admin, ask)
  }
}

async function generate(admin: Admin, name: string, wallet: string | undefined): Promise<void> {
  const ofWallet = wallet === undefined ? {} : { wallet }
  const key = await admin.call("generateKey", { name, role: "agent", ...ofWallet })
  tell(`${name} is made: agent key, address ${key.address}.`)
}

/** `--wallet` can't change whose agent a key is. */
async function assertWallet(admin: Admin, name: string, wallet: string | undefined): Promise<void> {
  const agent = await findAgent(admin, name)
  if (wallet === undefined || wallet === agent.wallet) return
  const whose = agent.wallet ?? "no wallet key"
  throw new Fault("usage", `${name} is an agent of ${whose}, not of ${wallet}; leave --wallet out.`)
}

function expiryOf({ expiresIn }: ApproveOptions): { readonly expiresInMs?: number } {
  if (expiresIn === undefined) return {}
  const expiresInMs = parseDurationMs(expiresIn)
  if (expiresInMs === undefined) throw new Fault("usage", "--expires-in takes a duration like 15m.")
  return { expiresInMs }
}

/** A wallet elsewhere needs no private key from here. */
function accessFor(options: ApproveOptions): VaultAccess {
  const isElsewhere = options.external === true || options.complete !== undefined
  if (!isElsewhere || options.generate === true) return accessWithKeys(options)
  return { installation: installationOf(options), keys: "not_needed" }
}
