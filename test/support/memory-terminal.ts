import { Readable, Writable } from "node:stream"
import { WriteStream } from "node:tty"

import { openTerminal, type Terminal } from "../../src/commands/terminal.ts"

export type MemoryTerminal = {
  readonly terminal: Terminal
  /** Everything that was written so far. */
  readonly stdout: () => string
  readonly stderr: () => string
}

/** Streams in memory in place of a process's, none of which is a terminal. `input` is all that there is to read. */
export function memoryTerminal(input: string | Buffer = ""): MemoryTerminal {
  const [stdout, stderr] = [keptWritable(), keptWritable()]
  const stdin = Readable.from([Buffer.from(input)])
  const terminal = openTerminal({ stdin, stdout: stdout.stream, stderr: stderr.stream })
  return { terminal, stdout: stdout.text, stderr: stderr.text }
}

/** As {@link memoryTerminal}, where standard output is a terminal of so many columns. */
export function memoryScreen(columns: number): MemoryTerminal {
  const [stdout, stderr] = [keptWritable(), keptWritable()]
  // How many colours a terminal has, the environment says.
  const getColorDepth = () => WriteStream.prototype.getColorDepth()
  const screen = Object.assign(stdout.stream, { isTTY: true, columns, getColorDepth })
  const terminal = openTerminal({ stdin: Readable.from([]), stdout: screen, stderr: stderr.stream })
  return { terminal, stdout: stdout.text, stderr: stderr.text }
}

function keptWritable(): { readonly stream: Writable; readonly text: () => string } {
  const pieces: Buffer[] = []
  const stream = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(pieces).toString() }
}
