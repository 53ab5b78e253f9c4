import type { Case } from "../case.ts"
import { makeSite } from "../daemon/make-site.ts"
import { sideBySide, type NamedSite } from "./side-by-side.ts"

/** What a signature costs with few and with many rules. */
export const rules: Case = {
  name: "rules",
  what: "sign over HTTP, 16 connections, by how many rules there are",
  async open(settings) {
    const sites: NamedSite[] = []
    for (const count of [1, 10, 100, 1_000]) {
      const name = `${count.toLocaleString("en")} rule${count === 1 ? "" : "s"}`
      sites.push({ name, site: await makeSite({ program: settings.program, rules: count }) })
    }
    return sideBySide(sites, settings)
  },
}
