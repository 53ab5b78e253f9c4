import { resolve } from "node:path"

import { Fault } from "../../std/fault.ts"
import { outOption, withNewFile } from "../cli/new-file.ts"

/** An answer with a token in it, or with the file that has it instead. */
export type TokenAnswer = { readonly token: string | null; readonly file?: string | undefined }

export const tokenOutOption = { out: outOption("the token") }

/** Puts the token that is asked for into the file `out`, where one is named, and takes it out of the answer. */
export async function tokenInto<Answer extends TokenAnswer>(
  { out, name }: { readonly out: string | undefined; readonly name: string },
  ask: () => Promise<Answer>,
): Promise<Answer> {
  if (out === undefined) return ask()
  const path = resolve(out)
  return withNewFile(path, async (file) => {
    const { token, ...answer } = await ask()
    await file.writeFile(`${token ?? ""}\n`).catch((cause: unknown) => {
      const message = `${path} can't be written, and the token is lost; make room and run: countersign clients rotate ${name}`
      throw new Fault("ledger_unavailable", message, { cause })
    })
    return { ...answer, token: null, file: path } as Answer // as it was, but for its token
  })
}

/** The token, or where it is, for people; `it` is what a sentence about it begins with. */
export function tokenLines({ token, file = "" }: TokenAnswer, it: string): readonly string[] {
  return token === null ? [`${it} is in ${file}.`] : [`${it} is shown this once:`, token]
}
