import { open } from "node:fs/promises"
import type { Readable } from "node:stream"

import type { TypedOperation } from "../../contract/views.ts"
import type { AdminParams } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import { parseDurationMs } from "../../std/time/duration.ts"
import { utcText } from "../../std/time/time-words.ts"
import { visibleLines } from "../../std/visible.ts"
import { command, flag, option, optionalArgument, parsed, type Given } from "../cli/command.ts"
import { print, tell, type Printing, jsonText } from "../cli/print.ts"
import { wholeUpTo } from "../cli/values.ts"
import { passphraseFrom } from "../cli/secret-option.ts"
import type { Terminal } from "../cli/terminal.ts"
import {
  passphraseOption,
  installationOf,
  installationOptions,
  jsonOption,
  tellChanged,
} from "../installation/installation-command.ts"
import { type Admin, withVault } from "../installation/admin.ts"
import type { VaultAccess } from "../installation/open-here.ts"
import { generateKey } from "../keys/keys.ts"
import { approvedLine, daysOf, findAgent, termOptions } from "./agents.ts"
import { approveHere, type AcceptedOperation, sendSigned } from "./send-signed.ts"

const approveOptions = {
  name: optionalArgument("[name]", "the agent key"),
  wallet: option(
    "--wallet <wallet>",
    "the agent's wallet key; with --external, the wallet's address",
  ),
  external: flag("--external", "the wallet's key is held elsewhere: print what it has to sign"),
  chainId: parsed(
    option(
      "--chain-id <id>",
      "with --external: which of venue.yaml's signature_chain_ids to sign under",
    ),
    wholeUpTo(999_999_999_999_999),
    "a whole number, such as 84256",
  ),
  generate: flag("--generate", "make the agent key first"),
  ...termOptions,
  expiresInMs: parsed(
    option("--expires-in <duration>", "how long the approval may wait to be sent, like 15m"),
    parseDurationMs,
    "a duration like 15m",
  ),
  complete: option(
    "--complete <record>",
    "send an approval that a wallet held elsewhere has signed",
  ),
  signatureFile: option(
    "--signature-file <file>",
    "with --complete: the file with the signature; standard input if left out",
  ),
  ...passphraseOption,
  ...installationOptions,
  ...jsonOption,
}

type Asked = Given<typeof approveOptions> & Printing

/** `countersign agent approve NAME`: the vault signs, this process sends, the record tells. */
export const agentApprove = command({
  description: "approve an agent key at the venue",
  examples: [
    "countersign agent approve mm --valid-days 30",
    "countersign agent approve mm --generate --wallet main --valid-days 30",
    "countersign agent approve mm --wallet 0x2c7536E3605D9C16a7a3D7b1898e529396a65c23 --external --valid-days 30",
    "countersign agent approve --complete rec_1 --signature-file signature.txt",
  ],
  options: approveOptions,
  run: async (options, terminal) => {
    const asked = { ...options, terminal }
    const { complete } = options
    const work = complete === undefined ? approvalOf(asked) : completionOf(asked, complete)
    const access = accessFor(asked)
    const accepted = await withVault(access, work)
    tellChanged(access.installation, terminal)
    if (accepted !== undefined) print(accepted, asked, () => [approvedLine(accepted)])
    return 0
  },
})

/** All else was said when the approval was described. */
function completionOf(asked: Asked, record: string) {
  const { name, external, generate: isNew, wallet, validDays, label } = asked
  const others = [name, wallet, validDays, label, asked.chainId]
  if (external || isNew || others.some((each) => each !== undefined)) {
    throw new Fault(
      "usage",
      "--complete takes only the record and --signature-file; leave the rest out.",
    )
  }
  const { signatureFile, terminal } = asked
  return async (admin: Admin) =>
    completeApproval(admin, record, await readSignatureText(signatureFile, terminal))
}

/** Checks what was typed before anything is opened. */
function approvalOf(asked: Asked) {
  const { name } = asked
  if (name === undefined)
    throw new Fault("usage", "Name the agent key: countersign agent approve NAME.")
  const { label = name, wallet, external, chainId, expiresInMs } = asked
  if (asked.signatureFile !== undefined) {
    throw new Fault("usage", "--signature-file goes with --complete RECORD.")
  }
  const isAddress = wallet?.startsWith("0x") === true
  if (external !== isAddress) {
    throw new Fault(
      "usage",
      "--external and --wallet ADDRESS belong together: give both or neither.",
    )
  }
  if (chainId !== undefined && !external) {
    throw new Fault(
      "usage",
      "--chain-id goes with --external: a key that is held here signs under any.",
    )
  }
  const ask = { agent: name, validDays: daysOf(asked), label, expiresInMs }
  return async (admin: Admin): Promise<AcceptedOperation | undefined> => {
    const ownWallet = external ? undefined : wallet
    if (asked.generate) tell(asked.terminal, await generate(admin, name, ownWallet))
    else await assertWallet(admin, name, ownWallet)
    return external && wallet !== undefined
      ? approveElsewhere(admin, { ...ask, wallet, chainId }, asked)
      : approveHere(admin, ask)
  }
}

/** Makes the key, and says so. */
async function generate(admin: Admin, name: string, wallet: string | undefined): Promise<string> {
  const key = await generateKey(admin, { name, role: "agent", wallet })
  return `${name} is made: agent key, address ${key.address}.`
}

/** `--wallet` can't change whose agent a key is. */
async function assertWallet(admin: Admin, name: string, wallet: string | undefined): Promise<void> {
  const agent = await findAgent(admin, name)
  if (wallet === undefined || wallet === agent.wallet) return
  const whose = agent.wallet ?? "no wallet key"
  throw new Fault("usage", `${name} is an agent of ${whose}, not of ${wallet}; leave --wallet out.`)
}

/** A wallet elsewhere needs no private key from here. */
function accessFor(asked: Asked): VaultAccess {
  const { external, complete, generate: isNew, terminal, passphraseFile } = asked
  const isElsewhere = external || complete !== undefined
  const needsKeys = !isElsewhere || isNew
  const secret = needsKeys ? passphraseFrom(terminal, passphraseFile) : "without_keys"
  return { installation: installationOf(asked), secret }
}

/**
 * Prints what a wallet held elsewhere has to sign. On a terminal it then asks for the signature and sends
 * the approval; without one it returns `undefined`, and {@link completeApproval} goes on.
 */
async function approveElsewhere(
  admin: Admin,
  ask: AdminParams["approveAgent"],
  printing: Printing,
): Promise<AcceptedOperation | undefined> {
  const described = await admin.call("approveAgent", ask)
  if (described.kind !== "to_be_signed") {
    throw new Fault("internal", "The vault signed for a wallet that is held elsewhere.")
  }
  const { record, signer, typed_data, expires_after } = described
  const operation = { record, signer, typed_data, expires_after }
  const { terminal, json } = printing
  if (json || !terminal.prompts.canAsk()) {
    printOperation(operation, printing)
    return undefined
  }
  terminal.stdout.write(`${visibleLines(JSON.stringify(typed_data, null, 2))}\n`)
  tell(
    terminal,
    `Have the wallet ${signer} sign this, as eth_signTypedData_v4 does. ${chainWords(operation)}`,
  )
  tell(terminal, wayOn(operation))
  return completeApproval(admin, record, await askSignature(terminal))
}

/** Sends an approval with the signature of a wallet held elsewhere. @throws {Fault} */
async function completeApproval(
  admin: Admin,
  record: string,
  signature: string,
): Promise<AcceptedOperation> {
  const signed = await admin.call("completeApproval", { record, signature })
  return sendSigned(signed, admin, "the approval")
}

function printOperation(operation: TypedOperation, { terminal, json }: Printing): void {
  const text = json ? jsonText(operation) : visibleLines(JSON.stringify(operation, null, 2))
  terminal.stdout.write(`${text}\n`)
  if (json) return
  tell(terminal, chainWords(operation))
  tell(terminal, wayOn(operation))
}

/** Many wallets refuse to sign under another chain id than that of the network they are on. */
function chainWords({ typed_data }: TypedOperation): string {
  return `It is for chain id ${typed_data.domain["chainId"]}, and many wallets sign only for the chain they are on; --chain-id takes another one of venue.yaml's.`
}

function wayOn({ record, expires_after: expiresAfter }: TypedOperation): string {
  return `Then send it, before ${utcText(expiresAfter)}: countersign agent approve --complete ${record} --signature-file FILE`
}

/** More than any signature with what a wallet may print around it. */
const maxInputBytes = 1_024

/**
 * Reads a signature from a file, else from standard input, else by asking; without the quotes and spaces
 * around it. It is no secret.
 *
 * @throws {Fault} `usage`, `cancelled`.
 */
async function readSignatureText(file: string | undefined, terminal: Terminal): Promise<string> {
  if (file === undefined && terminal.prompts.canAsk()) return askSignature(terminal)
  let input = ""
  const source = file === undefined ? terminal.stdin : await openSignature(file)
  for await (const piece of source as AsyncIterable<Buffer>) {
    input += piece.toString("latin1")
    if (input.length > maxInputBytes) {
      throw new Fault(
        "usage",
        "This is too long for a signature; 0x and 130 hex digits are expected.",
      )
    }
  }
  return bare(input)
}

/** Asks on the terminal; what is pasted is shown. @throws {Fault} `cancelled`. */
async function askSignature({ prompts }: Terminal): Promise<string> {
  const answer = await prompts.line("The wallet's signature (0x…)")
  if (answer === undefined) throw new Fault("cancelled", "Nothing was sent.")
  return bare(answer)
}

async function openSignature(path: string): Promise<Readable> {
  const file = await open(path).catch((cause: unknown) => {
    throw new Fault("usage", `${path} can't be read; --signature-file names a file.`, { cause })
  })
  return file.createReadStream()
}

function bare(typed: string): string {
  return typed.trim().replace(/^(["'])(.*)\1$/s, "$2")
}
