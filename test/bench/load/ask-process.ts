import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"

/** Runs a program of Node that reads what is asked as JSON, and gives the JSON that it prints. @throws when it fails. */
export async function askProcess(program: string, ask: unknown): Promise<unknown> {
  const child = spawn(process.execPath, [program], { stdio: "pipe" })
  child.stdin.end(JSON.stringify(ask))
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number | null]>,
  ])
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}
