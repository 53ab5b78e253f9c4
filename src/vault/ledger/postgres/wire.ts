// PostgreSQL's protocol 3.0 ("Frontend/Backend Protocol", "Message Formats"), as far as a session of ours needs it.

/** A message that isn't as the protocol has it. */
export class WireError extends Error {}

const lengthBytes = 4
const headerBytes = 1 + lengthBytes
/** What one message may hold: a page of the ledger's rows, many times over. */
const maxMessageBytes = 64 * 1_048_576

/** Cuts what comes into messages: a letter, and what follows its length. @throws {WireError}, after which nothing more may be pushed. */
export function openMessageReader(take: (letter: string, body: Buffer) => void) {
  let chunks: Buffer[] = []
  let heldBytes = 0
  let neededBytes = headerBytes
  return (chunk: Buffer): void => {
    chunks.push(chunk)
    heldBytes += chunk.length
    if (heldBytes < neededBytes) return
    let rest = Buffer.concat(chunks, heldBytes)
    for (;;) {
      neededBytes = rest.length < headerBytes ? headerBytes : messageBytes(rest)
      if (rest.length < neededBytes) break
      take(rest.toString("latin1", 0, 1), rest.subarray(headerBytes, neededBytes))
      rest = rest.subarray(neededBytes)
    }
    chunks = rest.length === 0 ? [] : [rest]
    heldBytes = rest.length
  }
}

function messageBytes(bytes: Buffer): number {
  const length = bytes.readUInt32BE(1)
  if (length < lengthBytes || length > maxMessageBytes) throw new WireError("a message's length")
  return 1 + length
}

/** Reads one body to its end. */
class Body {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  take(length: number): Buffer {
    const end = this.#at + length
    if (length < 0 || end > this.#bytes.length) throw new WireError("a message's end")
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  /** Text up to a zero byte, which is taken too. */
  word(): string {
    const end = this.#bytes.indexOf(0, this.#at)
    if (end < 0) throw new WireError("a text's end")
    const word = textOf(this.take(end - this.#at))
    this.take(1)
    return word
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new WireError("more than a message holds")
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

function textOf(bytes: Buffer): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new WireError("a text that isn't UTF-8")
  }
}

/** DataRow: its columns as text. */
export function columnsIn(bytes: Buffer): readonly (string | null)[] {
  const body = new Body(bytes)
  const columns = Array.from({ length: body.take(2).readUInt16BE() }, () => {
    const length = body.take(4).readInt32BE()
    return length === -1 ? null : textOf(body.take(length))
  })
  body.end()
  return columns
}

/** ErrorResponse and NoticeResponse: the server's words, without what it quotes of values, and SQLSTATE. */
export function errorIn(bytes: Buffer): { readonly message: string; readonly code: string } {
  const body = new Body(bytes)
  const fields = new Map<string, string>()
  for (;;) {
    const field = body.take(1).toString("latin1")
    if (field === "\0") break
    fields.set(field, body.word())
  }
  body.end()
  return {
    message: fields.get("M") ?? "an error without words",
    code: fields.get("C") ?? "no code",
  }
}

/** Authentication: 0 once the server is content. */
export function authenticationIn(bytes: Buffer): number {
  return new Body(bytes).take(4).readInt32BE()
}

/** A message of ours. */
function message(letter: string, parts: readonly Buffer[]): Buffer {
  const length = lengthBytes + parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([Buffer.from(letter, "latin1"), int32(length), ...parts])
}

/** StartupMessage, which has no letter. */
export function startupMessage(settings: Readonly<Record<string, string>>): Buffer {
  const words = Object.entries(settings).flat().map(word)
  return message("", [int32(0x3_0000), ...words, Buffer.alloc(1)])
}

/** Parse: prepares `text` under a name. */
export function parseMessage(name: string, text: string): Buffer {
  return message("P", [word(name), word(text), int16(0)])
}

/** Bind, Execute and Sync: runs what is prepared under `name` with values as text, in a transaction of its own. */
export function runMessages(name: string, values: readonly (string | null)[]): Buffer {
  const given = values.flatMap((value) => {
    if (value === null) return [int32(-1)]
    const bytes = Buffer.from(value)
    return [int32(bytes.length), bytes]
  })
  const portal = word("")
  return Buffer.concat([
    message("B", [portal, word(name), int16(0), int16(values.length), ...given, int16(0)]),
    message("E", [portal, int32(0)]),
    message("S", []),
  ])
}

function word(text: string): Buffer {
  return Buffer.from(`${text}\0`)
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
