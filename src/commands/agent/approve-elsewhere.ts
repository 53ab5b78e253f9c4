import { open } from "node:fs/promises"

import type { AdminParams } from "../../link/calls/methods.ts"
import type { TypedOperation } from "../../contract/views.ts"
import { Fault } from "../../std/fault.ts"
import { utcText } from "../../std/time/time-words.ts"
import { visibleLines } from "../../std/visible.ts"
import { jsonText, tell, type Printing } from "../cli/print.ts"
import type { Terminal } from "../cli/terminal.ts"
import type { Admin } from "../installation/admin.ts"
import { sendSigned, type AcceptedOperation } from "./send-signed.ts"

/**
 * Prints what a wallet held elsewhere has to sign. On a terminal it then asks for the signature and sends
 * the approval; without one it returns `undefined`, and {@link completeApproval} goes on.
 */
export async function approveElsewhere(
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
export async function completeApproval(
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
export async function readSignatureText(
  file: string | undefined,
  terminal: Terminal,
): Promise<string> {
  if (file !== undefined) return bare(await readFirstBytes(file))
  if (terminal.prompts.canAsk()) return askSignature(terminal)
  let input = ""
  for await (const piece of terminal.stdin as AsyncIterable<Buffer>) {
    input += piece.toString("latin1")
    if (input.length > maxInputBytes) throw tooLong()
  }
  return bare(input)
}

/** Asks on the terminal; what is pasted is shown. @throws {Fault} `cancelled`. */
async function askSignature({ prompts }: Terminal): Promise<string> {
  const answer = await prompts.line("The wallet's signature (0x…)")
  if (answer === undefined) throw new Fault("cancelled", "Nothing was sent.")
  return bare(answer)
}

async function readFirstBytes(path: string): Promise<string> {
  const file = await open(path).catch((cause: unknown) => {
    throw new Fault("usage", `${path} can't be read; --signature-file names a file.`, { cause })
  })
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxInputBytes + 1))
    if (bytesRead > maxInputBytes) throw tooLong()
    return buffer.toString("latin1", 0, bytesRead)
  } finally {
    await file.close()
  }
}

function bare(typed: string): string {
  return typed.trim().replace(/^(["'])(.*)\1$/s, "$2")
}

function tooLong(): Fault {
  return new Fault("usage", "This is too long for a signature; 0x and 130 hex digits are expected.")
}
