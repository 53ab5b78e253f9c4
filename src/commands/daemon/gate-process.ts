import { join } from "node:path"

import * as z from "zod"

import type { UpstreamSettings } from "../../link/views/gate-settings.ts"
import { gateSettingsOf } from "../../vault/active/gate-settings.ts"
import type { FileSet } from "../../vault/config/file-set.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { startChild } from "./child.ts"
import { gateAppDirectories, gatePermissionFlags } from "./gate-flags.ts"

/** What the gate tells over IPC. */
const gateMessages = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready"), port: z.int() }),
  z.object({ type: z.literal("failed"), code: z.string(), message: z.string() }),
])

/** Starts the gate. It can read no configuration, so it is told what it needs. @throws {Fault} */
export function gateProcess(files: FileSet, installation: Installation, port: number) {
  const { upstream, allowedHosts } = gateSettingsOf(files)
  const notifyDirectory = join(installation.configDir, "notify")
  return startChild({
    name: "gate",
    entry: "gate/main",
    nodeFlags: gatePermissionFlags(gateAppDirectories(), notifyDirectory),
    args: [
      ...["--host", files.config.listen.host, "--port", String(port)],
      ...["--bot-socket", pathsOf(installation).botSocket, "--notify-dir", notifyDirectory],
      ...upstreamArguments(upstream),
      ...allowedHosts.flatMap((name) => ["--allowed-host", name]),
    ],
    messages: gateMessages,
  })
}

/** None of it is secret: the arguments of a process can be read by every user. */
function upstreamArguments(upstream: UpstreamSettings | null): readonly string[] {
  if (upstream === null) return []
  const { baseUrl, ca, proxy, deadlineMs } = upstream
  return [
    ...["--upstream", baseUrl, "--upstream-deadline-ms", String(deadlineMs)],
    // With its hyphens a PEM would by itself be taken for an option.
    ...(ca === null ? [] : [`--upstream-ca=${ca}`]),
    ...(proxy === null ? [] : ["--upstream-proxy", proxy]),
  ]
}
