import type { Command } from "commander"

import {
  command,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { print, type Printing } from "../print.ts"
import { withAdmin } from "../with-vault.ts"
import { pricesTable } from "./show.ts"

/** `countersign prices set SYMBOL VALUE` */
export function pricesSet(): Command {
  const made = command(
    "set",
    "give a symbol its reference price, or confirm one after a large step",
  )
    .argument("<symbol>", "its name in venue.yaml")
    .argument("<value>", "in quote units for one base unit")
  withExamples(made, "countersign prices set BTC-PERP 64000")
  return runs<InstallationOptions & Printing>(
    withJson(withInstallation(made)),
    async (options, symbol = "", value = "") => {
      const price = await withAdmin(options, (admin) => admin.call("setPrice", { symbol, value }))
      print(price, options, (set) => pricesTable([set]))
    },
  )
}
