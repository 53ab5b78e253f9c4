import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"

import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"

import { keepOutput } from "./canaries.ts"
import { bin, node } from "./published.ts"

/** What a tool answered, read. */
export type Told = Readonly<Record<string, unknown>>

export type McpClient = {
  readonly client: Client
  readonly pid: number
  /** What the server wrote to standard error. */
  stderr(): string
  /** Calls a tool. @throws where it failed instead of answering. */
  call(tool: string, input?: Readonly<Record<string, unknown>>): Promise<Told>
  close(): Promise<void>
}

export type McpPlace = { readonly url: string; readonly tokenFile: string }

/** What every server of these tests is started with. */
export function mcpArgs({ url, tokenFile }: McpPlace): readonly string[] {
  return ["mcp", "--token-file", tokenFile, "--url", url]
}

/** Starts `countersign mcp` and speaks to it as an agent's program does. */
export async function startMcp(
  place: McpPlace,
  options: readonly string[] = [],
): Promise<McpClient> {
  const args = [bin, ...mcpArgs(place), ...options]
  const transport = new StdioClientTransport({ command: node, args, stderr: "pipe" })
  let stderr = ""
  transport.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
  const client = new Client({ name: "test", version: "1" })
  try {
    await client.connect(transport)
  } catch (error) {
    await client.close()
    throw new Error(`the server didn't start: ${stderr}`, { cause: error })
  }
  const { pid } = transport
  assert.ok(pid)
  return {
    client,
    pid,
    stderr: () => stderr,
    call: async (name, input = {}) => {
      const result = await client.callTool({ name, arguments: input })
      keepOutput("answers of tools", `${JSON.stringify(result)}\n`)
      assert.notEqual(result.isError, true, JSON.stringify(result))
      return result.structuredContent as Told // a tool of ours always has one
    },
    close: async () => {
      await client.close()
      keepOutput("errors of countersign mcp", stderr)
    },
  }
}

/** Writes a token as an operator would hand it to an agent. */
export async function writeToken(directory: string, token: string): Promise<string> {
  const file = join(directory, "agent-token")
  await writeFile(file, `${token}\n`, { mode: 0o600 })
  return file
}
