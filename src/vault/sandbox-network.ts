import type { Profile } from "../venue/profile.ts"

/** The chain id that the sandbox made up for itself. Published test keys may be used there and nowhere else. */
export const sandboxChainId = 842_569_901n

/** Tells whether this profile is the local sandbox's. */
export function isSandboxNetwork({ domain }: Profile): boolean {
  return domain.chainId === sandboxChainId
}
