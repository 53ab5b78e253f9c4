import type { ClientView } from "../../link/views/views.ts"
import { table, type Line } from "../cli/print.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { expiryWords } from "./client-options.ts"

/** `countersign clients list` */
export const clientsList = adminCommand({
  description: "show the bots and what they may use",
  examples: ["countersign clients list"],
  call: (admin) => admin.call("listClients", {}),
  print: clientsTable,
})

function clientsTable(clients: readonly ClientView[]): readonly Line[] {
  if (clients.length === 0) return ["No clients yet; countersign clients add makes one."]
  const rows = clients.map((client) => [
    client.name,
    client.keys.join(","),
    client.rights.join(",") || "-",
    client.allow_type_b ? "yes" : "no",
    client.revoked ? "revoked" : expiryWords(client),
  ])
  return [table(["NAME", "KEYS", "RIGHTS", "TYPE B", "TOKEN"], rows)]
}
