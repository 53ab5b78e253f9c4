import { services } from "../../src/commands/service/system.ts"
import { serviceFiles, unitNames } from "../../src/commands/service/render-units.ts"
import {
  forget,
  setUp,
  takeDown,
  type SystemCommand,
} from "../../src/commands/service/install-steps.ts"

/** What the package's scripts share with install-service: its files, and its commands. */
export function scriptValues(): Readonly<Record<string, string>> {
  const files = serviceFiles()
  return {
    FILES: files.map(({ place }) => `/etc/${place}`).join(" "),
    SET_UP: lines(setUp),
    TAKE_DOWN: lines(takeDown(unitNames(files))),
    FORGET: lines(forget),
    SERVICES: services,
  }
}

/** Lines of a script that ends with the first that fails. */
function lines(commands: readonly SystemCommand[]): string {
  return commands
    .map(({ words, needsSystemd }) => {
      const line = words.map(quoted).join(" ")
      return needsSystemd ? `[ ! -d /run/systemd/system ] || ${line}` : line // sd_booted(3)
    })
    .join("\n")
}

/** A pattern is systemctl's and not the shell's. */
function quoted(word: string): string {
  return word.includes("*") ? `'${word}'` : word
}
