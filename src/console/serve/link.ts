import { digestOf, isSame, type SecretDigest } from "./secret.ts"

/** From its making on. */
export const linkLifeMs = 60_000

/** The one way into the console. Only a digest of its secret is kept. */
export type ConsoleLink = {
  /** Opens a link with this secret; one made earlier works no more. */
  make(secret: string): void
  /** Uses the link up, if this is its secret. A wrong one uses nothing up: whoever guesses can't lock anyone out. */
  take(secret: string): boolean
}

/** There is no link until one is made. `nowMs` tells ages. */
export function openConsoleLink(nowMs: () => number): ConsoleLink {
  let link: { readonly digest: SecretDigest; readonly madeMs: number } | undefined
  return {
    make(secret) {
      link = { digest: digestOf(secret), madeMs: nowMs() }
    },
    take(secret) {
      if (link !== undefined && nowMs() - link.madeMs >= linkLifeMs) link = undefined
      const isRight = link !== undefined && isSame(link.digest, digestOf(secret))
      if (isRight) link = undefined
      return isRight
    },
  }
}
