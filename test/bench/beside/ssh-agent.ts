import { execFile, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"

import type { Load } from "../load/load.ts"
import { quantilesOf } from "../report/quantiles.ts"

const run = promisify(execFile)

/** Where an agent listens, and the key that it has: its blob, in base64. */
export type AgentKey = { readonly path: string; readonly key: string }

export type SshAgent = AgentKey & {
  /** Has it sign one digest after the other over one connection. */
  sign(seconds: number): Promise<Load>
  stop(): Promise<void>
}

/** Starts OpenSSH's agent with a new key, ECDSA over P-256. */
export async function startSshAgent(): Promise<SshAgent> {
  const dir = await mkdtemp(join(tmpdir(), "countersign-ssh-"))
  const [socket, key] = [join(dir, "agent"), join(dir, "key")]
  await run("ssh-keygen", ["-q", "-t", "ecdsa", "-b", "256", "-N", "", "-f", key])
  const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" })
  const kill = (): void => void agent.kill()
  process.once("exit", kill) // when a case failed before it could stop what it had started
  while (!existsSync(socket)) await delay(10)
  await run("ssh-add", ["-q", key], { env: { ...process.env, SSH_AUTH_SOCK: socket } })
  const [, blob = ""] = (await readFile(`${key}.pub`, "latin1")).split(" ")
  const at = { path: socket, key: blob }
  return {
    ...at,
    sign: (seconds) => signFor(seconds, at),
    stop: async () => {
      kill()
      process.off("exit", kill)
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Of draft-ietf-sshm-ssh-agent: SSH_AGENTC_SIGN_REQUEST and SSH_AGENT_SIGN_RESPONSE. */
const signRequest = 13
const signResponse = 14

async function signFor(seconds: number, at: AgentKey): Promise<Load> {
  const { one, close } = connectAgent(at)
  const timesMs: number[] = []
  const startMs = performance.now()
  const endMs = startMs + seconds * 1_000
  try {
    for (let nowMs = startMs; nowMs < endMs;) {
      await one(timesMs.length)
      const afterMs = performance.now()
      timesMs.push(afterMs - nowMs)
      nowMs = afterMs
    }
  } finally {
    close()
  }
  const requests = timesMs.length
  return { requests, perSecond: requests / seconds, ...quantilesOf(timesMs) }
}

/** One connection, over which `one` has a digest of its own signed. */
export function connectAgent({ path, key }: AgentKey) {
  const socket = connect(path)
  const blob = Buffer.from(key, "base64")
  return {
    one: (turn: number): Promise<void> => signOne(socket, blob, turn),
    close: () => void socket.destroy(),
  }
}

async function signOne(socket: Socket, key: Buffer, turn: number): Promise<void> {
  const digest = Buffer.alloc(32, 7)
  digest.writeUInt32BE(turn)
  const flags = Buffer.alloc(4)
  socket.write(text(Buffer.concat([Buffer.of(signRequest), text(key), text(digest), flags])))
  const answer = await whole(socket)
  if (answer[4] !== signResponse) throw new Error(`ssh-agent answered ${answer[4]}`)
}

/** Reads one message, which comes alone: nothing else was asked for. */
function whole(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let read = Buffer.alloc(0)
    const take = (chunk: Buffer): void => {
      read = Buffer.concat([read, chunk])
      if (read.length < 4 || read.length < 4 + read.readUInt32BE()) return
      socket.off("data", take)
      socket.off("error", reject)
      resolve(read)
    }
    socket.on("data", take)
    socket.once("error", reject)
  })
}

function text(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
