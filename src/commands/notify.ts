import type { TargetStand } from "../gate/notify/teller.ts"
import { Fault } from "../std/fault.ts"
import { visible } from "../std/visible.ts"
import type { Installation } from "../vault/config/installation.ts"
import { tryTargets } from "./doctor/notify-findings.ts"
import { type Admin, loadConfig, withAdmin } from "./installation/admin.ts"
import { installationCommand } from "./installation/installation-command.ts"

/** `countersign notify test`: the running gate sends each target a message, by the way that alarms take. */
export const notifyTest = installationCommand({
  description: "have the gate send a message to each target of countersign.yaml",
  examples: ["countersign notify test", "countersign notify test --json"],
  answer: async (installation): Promise<Tested> => {
    const targets = await withAdmin(installation, (admin) => testAll(admin, installation))
    return { ok: targets.every(({ failing }) => failing === null), targets }
  },
  print: ({ targets }) => targets.map(lineOf),
  exitCode: ({ ok }) => (ok ? 0 : 1),
})

type Tested = { readonly ok: boolean; readonly targets: readonly TargetStand[] }

async function testAll(admin: Admin, at: Installation): Promise<readonly TargetStand[]> {
  const { notify } = await loadConfig(at)
  if (notify.length === 0) throw new Fault("usage", noTargets)
  if (admin.daemon === "stopped") throw new Fault("vault_unavailable", stopped)
  return tryTargets(
    admin,
    notify.map(({ name }) => name),
  )
}

function lineOf({ name, failing }: TargetStand): string {
  return failing === null ? `${name}: taken.` : visible(`${name}: not taken. ${failing}`)
}

const stopped =
  "No daemon runs here, and it is the gate that sends messages; start countersign serve, then run this again."
const noTargets =
  "countersign.yaml names no target; add one to notify, as docs/operations/alarms.md shows, then run: countersign policy reload"
