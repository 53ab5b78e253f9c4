import { join } from "node:path"

import * as z from "zod"

import { readRelayFile } from "../../relay/load-relay.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { startChild } from "./child.ts"
import { gateAppDirectories, relayFlags } from "./process-flags.ts"

/** What the relay tells over IPC. */
const relayMessages = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("failed"), code: z.string(), message: z.string() }),
])

/** Starts the relay, which can read the files that relay.yaml names at the time, and no others. @throws {Fault} */
export async function relayProcess(installation: Installation) {
  const configFile = join(installation.configDir, "relay.yaml")
  const { ca, certificate, key } = await readRelayFile(configFile)
  return startChild({
    name: "relay",
    entry: "relay/main",
    nodeFlags: relayFlags(gateAppDirectories(), [configFile, ca, certificate, key]),
    args: ["--config", configFile, "--ledger-socket", pathsOf(installation).ledgerSocket],
    messages: relayMessages,
  })
}
