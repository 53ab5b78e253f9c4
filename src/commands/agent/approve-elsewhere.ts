import type { AdminParams } from "../../link/calls/methods.ts"
import type { TypedOperation } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import { visibleLines } from "../../std/visible.ts"
import { jsonText, tell, type Printing } from "../cli/print.ts"
import type { Admin } from "../installation/admin.ts"
import { askSignature } from "./read-signature-text.ts"
import { sendSigned, type AcceptedOperation } from "./send-signed.ts"
import { utcText } from "../../std/time/time-words.ts"

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
