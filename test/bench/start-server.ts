import { spawn } from "node:child_process"
import { once } from "node:events"

export type Server = { readonly pid: number; readonly url: string; stop(): Promise<void> }

/** Starts a program and waits until it prints where it listens. @throws when it ends before. */
export async function startServer(program: string, args: readonly string[]): Promise<Server> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] })
  const kill = (): void => void child.kill()
  process.once("exit", kill) // when a case failed before it could stop what it had started
  const ended = once(child, "close").then(() => process.off("exit", kill))
  let stderr = ""
  child.stderr.on("data", (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-2_000)))
  const url = await new Promise<string>((resolve, reject) => {
    let stdout = ""
    let isListening = false
    child.stdout.on("data", (chunk: Buffer) => {
      if (isListening) return // a log may be long
      stdout += chunk.toString()
      const [, address] = /listening on (?:http:\/\/)?(\S+:\d+)\s/i.exec(stdout) ?? []
      if (address === undefined) return
      isListening = true
      resolve(`http://${address}`)
    })
    child.once("error", reject)
    child.once("close", (code) => reject(new Error(`${program} ended with ${code}: ${stderr}`)))
  })
  return {
    pid: child.pid ?? 0,
    url,
    stop: async () => {
      kill()
      await ended
    },
  }
}
