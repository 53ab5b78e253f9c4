import { z } from "zod"

import { gateAppDirectories, gatePermissionFlags } from "../../gate/permission-flags.ts"
import type { FileSet } from "../../vault/active-set.ts"
import { pathsOf, type Installation } from "../../vault/installation.ts"
import { startChild } from "./child.ts"

/** What the gate tells over IPC. */
const gateMessages = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready"), port: z.int() }),
  z.object({ type: z.literal("failed"), code: z.string(), message: z.string() }),
])

/** Starts the gate. It can read no configuration, so it is told what it needs. @throws {Fault} */
export function gateProcess(
  { config, profile }: FileSet,
  installation: Installation,
  port: number,
) {
  return startChild({
    name: "gate",
    entry: "gate/main",
    nodeFlags: gatePermissionFlags(gateAppDirectories()),
    args: [
      ...["--host", config.listen.host, "--port", String(port)],
      ...["--bot-socket", pathsOf(installation).botSocket],
      ...(profile.baseUrl === undefined ? [] : ["--upstream", profile.baseUrl]),
      ...config.allowedHosts.flatMap((name) => ["--allowed-host", name]),
    ],
    messages: gateMessages,
  })
}
