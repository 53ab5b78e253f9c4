import type { AdminParams } from "../../link/methods.ts"
import type { TypedOperation } from "../../link/views.ts"
import { Fault } from "../../std/fault.ts"
import type { Printing } from "../print.ts"
import { isOnTerminal } from "../prompts.ts"
import { sendSigned, type AcceptedOperation } from "../send-signed.ts"
import type { Admin } from "../with-vault.ts"
import { tell, timeText } from "./agent-options.ts"
import { askSignature, readSignatureText } from "./read-signature-text.ts"

/**
 * Prints what a wallet held elsewhere has to sign. On a terminal it then asks for the signature and sends
 * the approval; without one it returns `undefined`, and {@link completeApproval} goes on.
 */
export async function approveElsewhere(
  admin: Admin,
  ask: AdminParams["approveAgent"],
  { json = false }: Printing,
): Promise<AcceptedOperation | undefined> {
  const described = await admin.call("approveAgent", ask)
  if (described.kind !== "to_be_signed") {
    throw new Fault("internal", "The vault signed for a wallet that is held elsewhere.")
  }
  const { record, signer, typed_data, expires_after } = described
  const operation = { record, signer, typed_data, expires_after }
  if (json || !isOnTerminal()) {
    printOperation(operation, json)
    return undefined
  }
  process.stdout.write(`${JSON.stringify(operation.typed_data, null, 2)}\n`)
  tell(`Have the wallet ${operation.signer} sign this, as eth_signTypedData_v4 does.`)
  tell(wayOn(operation))
  return complete(admin, operation.record, await askSignature())
}

/** Sends an approval with the signature of a wallet held elsewhere. @throws {Fault} */
export async function completeApproval(
  admin: Admin,
  record: string,
  signatureFile: string | undefined,
): Promise<AcceptedOperation> {
  return complete(admin, record, await readSignatureText(signatureFile))
}

async function complete(
  admin: Admin,
  record: string,
  signature: string,
): Promise<AcceptedOperation> {
  const signed = await admin.call("completeApproval", { record, signature })
  return sendSigned(signed, admin, "the approval")
}

function printOperation(operation: TypedOperation, isForScripts: boolean): void {
  const text = isForScripts ? JSON.stringify(operation) : JSON.stringify(operation, null, 2)
  process.stdout.write(`${text}\n`)
  if (!isForScripts) tell(wayOn(operation))
}

function wayOn({ record, expires_after: expiresAfter }: TypedOperation): string {
  return `Until ${timeText(expiresAfter)}: countersign agent approve --complete ${record} --signature-file FILE sends it.`
}
