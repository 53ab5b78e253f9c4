import { isDeepStrictEqual } from "node:util"

import {
  actionHash,
  actionTags,
  addressWord,
  agentType,
  domainSeparator,
  signingHash,
  structHash,
  uintWord,
} from "../../../src/sandbox/signing/typed-hash.ts"
import { sandboxChainId } from "../../../src/sandbox/state/market.ts"
import type { RequestRow } from "../../../src/vault/ledger/records/row.ts"
import { cancelPath } from "../../support/open-test-vault.ts"
import type { Asked } from "../asked.ts"
import { addressOf, signatureOf } from "../fake-curve.ts"
import { canonical } from "./checker.ts"

const domain = domainSeparator(sandboxChainId)

/** Holds a signed body against what was asked and what was recorded, by the sandbox's own hashing. @throws {Error} */
export function checkSignature({ fields, key, path }: Asked, text: string, row: RequestRow): void {
  const { signature, signer_address, nonce, expires_after, ...business } = JSON.parse(text) as Wire
  const address = addressOf(key)
  const said = [canonical(business), signer_address, nonce, expires_after]
  for (const of of [
    [canonical(fields), address, nonce, expires_after],
    [row.body, row.signer, row.nonce, row.expires_after],
  ]) {
    if (!isDeepStrictEqual(said, of))
      throw new Error(`signed ${said.join(" ")} for ${of.join(" ")}`)
  }
  const tag = path === cancelPath ? actionTags.cancelOrder : actionTags.placeOrder
  const words = [
    ...[addressWord(address), actionHash(tag, row.body)],
    ...[uintWord(nonce), uintWord(expires_after)],
  ]
  const digest = signingHash(domain, structHash(agentType, ...words))
  if (!isDeepStrictEqual(signature, signatureOf(key, digest))) {
    throw new Error("a wrong signature left")
  }
}

type Wire = Readonly<Record<string, unknown>> & {
  readonly signature: unknown
  readonly signer_address: string
  readonly nonce: number
  readonly expires_after: number
}
