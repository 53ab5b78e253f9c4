import { decodeUtf8 } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"

/**
 * Refuses a password of a new key file that tools would read differently, so that some couldn't open it: ethers and
 * thor-devkit bring it into NFKC, the others take its bytes; and a control character at an end is cut off by those that
 * read it from a file.
 *
 * @throws {Fault} `usage`, with what is wrong and none of the password.
 */
export function assertPortable(password: Uint8Array): void {
  const text = decodeUtf8(password)
  const why = text.ok ? whyDifferent(text.value) : "isn't UTF-8 text"
  if (why === undefined) return
  throw new Fault(
    "usage",
    `The new password ${why}, so tools would read it differently; choose another.`,
  )
}

function whyDifferent(text: string): string | undefined {
  if (/[\p{Cc}\ufeff]/u.test(text))
    return "holds a control character, a line's end or a byte order mark"
  const isNormal = text === text.normalize("NFKC")
  return isNormal
    ? undefined
    : "isn't in the Unicode form NFKC (such as º for o, or an accent apart)"
}
