import { execFileSync } from "node:child_process"

/** Runs a program to its end and returns what it prints; what it complains of is shown. @throws when it fails. */
export function run(
  program: string,
  args: readonly string[],
  {
    cwd,
    input,
    environment = {},
  }: {
    readonly cwd?: string
    readonly input?: Uint8Array
    readonly environment?: Readonly<Record<string, string>>
  } = {},
): string {
  return execFileSync(program, args, {
    ...(cwd === undefined ? {} : { cwd }),
    ...(input === undefined ? {} : { input }),
    env: { ...process.env, ...environment },
    stdio: ["pipe", "pipe", "inherit"],
    encoding: "utf8",
  })
}
