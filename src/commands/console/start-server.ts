import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import type { Socket } from "node:net"
import { setTimeout as after } from "node:timers/promises"

import type { User } from "../../console/serve/drop-rights.ts"
import { Fault } from "../../std/fault.ts"
import { programFile } from "../../std/program-files.ts"
import { visible } from "../../std/visible.ts"
import { tell } from "../cli/print.ts"
import type { Terminal } from "../cli/terminal.ts"
import {
  gateAppDirectories,
  gatePermissionFlags,
  memoryVariables,
} from "../daemon/process-flags.ts"

export type ConsoleServer = ReturnType<typeof startServer>

type ServerAsk = {
  readonly port: number
  readonly user: User | undefined
  /** Whether its page may ask for a release. That the command answers it is decided there. */
  readonly mayRelease: boolean
}

/** How long it takes to end at most. */
const graceMs = 5_000

/**
 * Starts the console's server, on a free port where that is 0; as this process's user, or to become another. It gets
 * neither a terminal nor the environment: whoever has a terminal can type at it.
 */
export function startServer({ port, user, mayRelease }: ServerAsk, terminal: Terminal) {
  const ids = user === undefined ? [] : ["--uid", String(user.uid), "--gid", String(user.gid)]
  const child = spawn(
    process.execPath,
    [
      ...gatePermissionFlags(gateAppDirectories()),
      programFile("console/serve/main"),
      ...["--port", String(port), ...ids, ...(mayRelease ? ["--release"] : [])],
    ],
    {
      cwd: "/",
      env: memoryVariables,
      detached: true, // in a session of its own, which has no terminal
      stdio: ["pipe", "ignore", "pipe", "pipe"],
    },
  )
  const ended = once(child, "exit").catch(() => undefined) // it couldn't be started
  child.on("error", () => undefined)
  child.stdin?.on("error", () => undefined)
  tellErrors(child, terminal)
  const pipe = child.stdio[3] as Socket // Node makes a pair of sockets of what is a pipe here
  pipe.on("error", () => undefined)
  return {
    /** On which it asks. */
    pipe,
    /** Lets the link with this secret in, in place of an earlier one. */
    openLink: (secret: string) => void child.stdin?.write(`${secret}\n`),
    /** Closes the pipe, which ends it. */
    async stop(): Promise<void> {
      pipe.destroy()
      await Promise.race([ended, after(graceMs, undefined, { ref: false })])
      if (child.exitCode === null && child.signalCode === null) giveUp(child, terminal)
    },
  }
}

/** It may be another user's by now, which only root can end. */
function giveUp(child: ChildProcess, terminal: Terminal): void {
  if (child.kill("SIGKILL")) return
  child.unref()
  tell(
    terminal,
    `countersign: the console's server didn't end; end it as root: kill -9 ${child.pid ?? ""}`,
  )
}

const maxToldLength = 2_000

/** What it says when it breaks, which may be anything once it is broken into: so no line of it looks like the command's own. */
function tellErrors({ stderr }: ChildProcess, terminal: Terminal): void {
  let left = maxToldLength
  stderr?.setEncoding("utf8").on("data", (text: string) => {
    const told = text.slice(0, left)
    left -= told.length
    const lines = told.split("\n").filter((line) => line !== "")
    for (const line of lines) terminal.stderr.write(`the console's server: ${visible(line)}\n`)
  })
}

/** Linux's user who owns nothing. */
const nobody: User = { uid: 65_534, gid: 65_534 }

/**
 * Who the console's server is where root starts it: the user behind sudo, else nobody; never root, nor `owner`, whose
 * files the keys are. `undefined` where an ordinary user starts it, who can make it nobody else.
 *
 * @throws {Fault} `usage` where the installation is nobody's.
 */
export function serverUser(
  owner: User | undefined,
  {
    uid = process.getuid?.(),
    environment = process.env,
  }: { readonly uid?: number | undefined; readonly environment?: NodeJS.ProcessEnv } = {},
): User | undefined {
  if (uid !== 0) return undefined
  const behind = {
    uid: idOf(environment["SUDO_UID"]),
    gid: idOf(environment["SUDO_GID"]),
  }
  const isFit = (user: User): boolean =>
    ![0, owner?.uid].includes(user.uid) && ![0, owner?.gid].includes(user.gid)
  const fit = [behind, nobody].find(isFit)
  if (fit !== undefined) return fit
  throw new Fault(
    "usage",
    "The console's server runs as the user nobody, who owns this installation; give the installation a user of its own.",
  )
}

/** The largest but one of 32 bits: the largest stands for none (setreuid(2)). */
const largestId = 4_294_967_294

/** 0, which is never fit, where it isn't an id. */
function idOf(text = ""): number {
  return /^\d{1,10}$/.test(text) && Number(text) <= largestId ? Number(text) : 0
}
