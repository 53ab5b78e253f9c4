import { Fault } from "../../std/fault.ts"

/** What `--after` takes. @throws {Fault} `usage`. */
export function entryIn(text: string | undefined): number {
  if (/^\d{1,15}$/.test(text ?? "")) return Number(text)
  throw new Fault("usage", "--after takes an entry's number, like 1200.")
}
