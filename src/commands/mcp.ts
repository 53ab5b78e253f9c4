import { Console } from "node:console"

import { command, flag, option, parsed, required, withDefault } from "./cli/command.ts"
import { tell } from "./cli/print.ts"
import { toolNames, type ToolName } from "../mcp/tool.ts"
import type { Terminal } from "./cli/terminal.ts"

/** `countersign mcp`: a server of tools for a program that a language model drives, which starts it and ends it. */
export const mcp = command({
  description: "serve an agent's tools over standard input and output (Model Context Protocol)",
  notes: `
It asks the daemon as any bot does and can do what its token may, and no more. See docs/mcp.md.`,
  examples: [
    "countersign mcp --token-file /srv/agent/token",
    "countersign mcp --token-file /srv/agent/token --read-only --tools whoami,limits",
  ],
  options: {
    tokenFile: required(
      option("--token-file <file>", "the token's file: absolute, and its owner's alone"),
    ),
    url: parsed(
      withDefault(option("--url <url>", "where the daemon listens"), "http://127.0.0.1:8420"),
      urlOf,
      "http:// and an address of this machine, or https://…, without a path",
    ),
    readOnly: flag("--read-only", "list only tools that change nothing"),
    paper: flag("--paper", "refuse a token that isn't a paper client's"),
    tools: parsed(
      option("--tools <tools>", "list these alone, of those that the token may use"),
      toolsOf,
      `some of ${toolNames.join(",")}`,
    ),
  },
  run: async (options, terminal) => {
    const restore = keepOutputClean(terminal)
    try {
      // What only agents need is loaded for them alone, and after the console was turned away.
      const { runMcp } = await import("../mcp/run-mcp.ts")
      const { isOverlong } = await runMcp(options, terminal)
      if (!isOverlong) return 0
      tell(terminal, "A message was longer than 256 KiB.")
      return 1
    } finally {
      restore()
    }
  },
})

/** Standard output is the protocol's: what a library would print there goes to standard error. */
function keepOutputClean({ stderr }: Pick<Terminal, "stderr">): () => void {
  const usual = globalThis.console
  globalThis.console = new Console(stderr, stderr)
  return () => {
    globalThis.console = usual
  }
}

/** The token goes there, so it must be this machine or encrypted. */
function urlOf(text: string): string | undefined {
  const url = URL.parse(text)
  if (url?.origin !== text.replace(/\/$/, "")) return undefined
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)
  return url.protocol === "https:" || (url.protocol === "http:" && isHere) ? url.origin : undefined
}

function toolsOf(text: string): readonly ToolName[] | undefined {
  const names = text.split(",")
  const known = toolNames.filter((name) => names.includes(name))
  return known.length === names.length ? known : undefined
}
