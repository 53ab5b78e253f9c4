import type { Signed } from "../link/signed.ts"
import type { Profile } from "../venue/profile.ts"
import { digestOf, signedBody } from "./fill-in.ts"
import type { Keyring } from "./keyring/keyring.ts"
import type { Taken } from "./ledger/ledger.ts"
import type { ReadRequest } from "./read-request.ts"
import { requestStage } from "./stages.ts"

/** Signs a request with what was taken for it. The same again gives the same bytes. */
export function signReserved(
  request: ReadRequest,
  taken: Taken,
  { keyring, profile }: { readonly keyring: Keyring; readonly profile: Profile },
): Signed {
  const filling = { validity: taken, profile }
  // The keyring releases a signature only after it recovered the signer from it.
  const signature = keyring.sign(request.key.name, digestOf(request, filling))
  requestStage("signed")
  return {
    record: taken.record,
    path: request.endpoint.path,
    body: signedBody(request, filling, signature),
    expiresAfter: taken.expiresAfterMs,
  }
}
