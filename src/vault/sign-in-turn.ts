import type { BotParams, BotResults } from "../link/methods.ts"
import { signRequest } from "./sign-request.ts"
import type { Vault } from "./vault.ts"

/** {@link signRequest}, which waits for room in the venue's rate budgets where the call asks for that. */
export async function signInTurn(
  { wait, ...call }: BotParams["sign"],
  vault: Vault,
): Promise<BotResults["sign"]> {
  if (wait === undefined) return signRequest(call, vault)
  const ticket = vault.waiting.enter({ token: call.token, ...wait })
  try {
    return await signRequest({ ...call, ticket }, vault)
  } finally {
    ticket.leave()
  }
}
