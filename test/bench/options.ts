import { parseArgs } from "node:util"

import { isInstalled } from "../support/needs.ts"
import type { Settings } from "./case.ts"

export type Options = {
  /** Of cases; none means all that aren't on demand. */
  readonly names: readonly string[]
  readonly isList: boolean
  /** Where the report goes too. */
  readonly jsonFile: string | undefined
  readonly svgFile: string | undefined
  readonly settings: Settings
}

const number = (usual: number) => ({ type: "string", default: String(usual) }) as const

/** Reads the command line of `npm run bench`. @throws when it isn't one. */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      list: { type: "boolean", default: false },
      checkout: { type: "boolean", default: false },
      json: { type: "string" },
      svg: { type: "string" },
      beside: { type: "string" },
      subjects: { type: "string", default: "" },
      load: { type: "string", default: isInstalled("wrk") ? "wrk" : "node" },
      seconds: number(3),
      "warm-up-seconds": number(5),
      "steady-seconds": number(60),
      rounds: number(3),
      pace: { type: "string", multiple: true, default: ["20", "10", "40"] },
      requests: number(300),
      signatures: number(20_000),
      records: number(100_000),
    },
  })
  if (values.load !== "wrk" && values.load !== "node") throw new Error("--load takes wrk or node")
  const settings = {
    program: values.checkout ? "checkout" : "built",
    load: values.load,
    seconds: aboveZero(values.seconds),
    warmUpSeconds: aboveZero(values["warm-up-seconds"]),
    steadySeconds: aboveZero(values["steady-seconds"]),
    rounds: aboveZero(values.rounds),
    paces: values.pace.map(aboveZero),
    requests: aboveZero(values.requests),
    beside: values.beside,
    subjects: values.subjects,
    signatures: aboveZero(values.signatures),
    records: aboveZero(values.records),
  } as const
  return {
    names: positionals,
    isList: values.list,
    jsonFile: values.json,
    svgFile: values.svg,
    settings,
  }
}

function aboveZero(text: string): number {
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  throw new Error(`${text} isn't a number above zero`)
}
