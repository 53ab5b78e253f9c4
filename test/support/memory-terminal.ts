import { PassThrough, Readable, Writable } from "node:stream"
import { WriteStream } from "node:tty"
import { stripVTControlCharacters } from "node:util"

import { openTerminal, type Output, type Terminal } from "../../src/commands/cli/terminal.ts"
import { typist, type Typed } from "./typist.ts"

export type MemoryTerminal = {
  readonly terminal: Terminal
  /** Everything that was written so far. */
  readonly stdout: () => string
  readonly stderr: () => string
}

/** Streams in memory in place of a process's, none of which is a terminal. `input` is all that there is to read. */
export function memoryTerminal(input: string | Buffer = ""): MemoryTerminal {
  const [stdout, stderr] = [keptOutput(), keptOutput()]
  const stdin = Readable.from([Buffer.from(input)])
  const terminal = openTerminal({ stdin, stdout: stdout.stream, stderr: stderr.stream })
  return { terminal, stdout: stdout.text, stderr: stderr.text }
}

/** As {@link memoryTerminal}, where standard output is a terminal of so many columns. */
export function memoryScreen(columns: number): MemoryTerminal {
  const [stdout, stderr] = [keptOutput(), keptOutput()]
  const screen = asScreen(stdout.stream, columns)
  const terminal = openTerminal({ stdin: Readable.from([]), stdout: screen, stderr: stderr.stream })
  return { terminal, stdout: stdout.text, stderr: stderr.text }
}

/**
 * As {@link memoryTerminal}, where standard input and standard error are a terminal at which somebody types.
 * What moves the cursor or colours is left out of `stderr`.
 */
export function memoryKeyboard(typed: readonly Typed[]): MemoryTerminal {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
  // Nobody types before the question has been asked to its end.
  const shown = typist(typed, (keys) => void setImmediate(() => stdin.write(keys)))
  const [stdout, stderr] = [
    keptOutput(),
    keptOutput((piece) => shown(stripVTControlCharacters(piece))),
  ]
  const screen = asScreen(stderr.stream, 200)
  const terminal = openTerminal({ stdin, stdout: stdout.stream, stderr: screen })
  return {
    terminal,
    stdout: stdout.text,
    stderr: () => stripVTControlCharacters(stderr.text()),
  }
}

function asScreen(stream: Writable, columns: number): Output {
  // How many colours a terminal has, the environment says.
  const getColorDepth = () => WriteStream.prototype.getColorDepth()
  return Object.assign(stream, { isTTY: true, columns, getColorDepth })
}

function keptOutput(onPiece: (piece: string) => void = () => undefined) {
  const pieces: Buffer[] = []
  const stream = new Writable({
    write(piece: Buffer, _encoding, done) {
      pieces.push(piece)
      onPiece(piece.toString())
      done()
    },
  })
  return { stream, text: () => Buffer.concat(pieces).toString() }
}
