import type { Case, Subject } from "../case.ts"
import { makeSite, type Site } from "../daemon/make-site.ts"

/** From the command to the first signature that it would give. */
export const start: Case = {
  name: "start",
  what: "cold start of what is published until /readyz says yes, with 10 keys",
  async open({ program }) {
    const byCredential = await makeSite({ program, keys: 10, opensBy: "credential" })
    const byPassphrase = await makeSite({ program, keys: 10, opensBy: "passphrase" })
    return {
      subjects: [starting("credential", byCredential), starting("passphrase", byPassphrase)],
      close: async () => {
        await byCredential.remove()
        await byPassphrase.remove()
      },
    }
  },
}

/** A start, and a stop that isn't counted. */
export function starting(name: string, site: Pick<Site, "serve">): Subject {
  return {
    name,
    async measure() {
      const startMs = performance.now()
      const daemon = await site.serve()
      const ms = performance.now() - startMs
      await daemon.stop()
      return { "ready ms": ms }
    },
  }
}
